"""The process of `tab_guard`, run by its path, so that it starts at once: `tab_guard_process.py DESCRIPTOR`.

Standard input names the tabs to close, `+ID` and `-ID`, a line each. At its end they are closed over the WebSocket
whose socket is DESCRIPTOR, as if by the process that has used it until then."""

import json
import os
import socket
import struct
import sys
import time

FIRST_NUMBER = 2_000_000_000
"""Of the commands: more than the process before has sent."""
SECONDS = 3.0
"""For the browser to answer, or to close."""
_TEXT_FRAME = 0x81
_MASKED = 0x80


def main() -> None:
    tabs: dict[str, None] = {}
    for line in sys.stdin:
        if line.startswith("+"):
            tabs[line[1:].strip()] = None
        else:
            tabs.pop(line[1:].strip(), None)
    if tabs:
        with socket.socket(fileno=int(sys.argv[1])) as browser:
            close_tabs(browser, list(tabs))


def close_tabs(browser: socket.socket, tabs: list[str]) -> None:
    """Ask the browser to close tabs, and wait for its answer to the last request. What arrives is read, because a
    socket with unread data would be reset, and the requests be lost with it."""
    browser.setblocking(True)
    browser.settimeout(SECONDS)
    last = b'"id":%d' % (FIRST_NUMBER + len(tabs) - 1)
    try:
        for number, target_id in enumerate(tabs, FIRST_NUMBER):
            command = {"id": number, "method": "Target.closeTarget", "params": {"targetId": target_id}}
            browser.sendall(frame(json.dumps(command).encode()))
        end, tail = time.monotonic() + SECONDS, b""
        while last not in tail and time.monotonic() < end and (data := browser.recv(65536)):
            tail = tail[-len(last) :] + data
    except OSError:
        pass  # the browser has gone


def frame(payload: bytes) -> bytes:
    """A text message of a client. The mask may be any. https://www.rfc-editor.org/rfc/rfc6455#section-5.2"""
    size = len(payload)
    length = struct.pack("!B", _MASKED | size) if size < 126 else struct.pack("!BH", _MASKED | 126, size)
    mask = os.urandom(4)
    return (
        struct.pack("!B", _TEXT_FRAME)
        + length
        + mask
        + bytes(byte ^ mask[position % 4] for position, byte in enumerate(payload))
    )


if __name__ == "__main__":
    main()
