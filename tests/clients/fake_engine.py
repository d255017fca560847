#!/usr/bin/env python3
"""An engine that does what it is told, for the faults of `protocol.json`: steps as JSON in ORYN_FAKE_ENGINE."""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main() -> None:
    heard = ""
    stubborn = False
    for step in json.loads(os.environ["ORYN_FAKE_ENGINE"]):
        match step:
            case {"say": text}:
                sys.stdout.buffer.write(text.replace("{heard}", heard).encode())
                sys.stdout.buffer.flush()
            case {"complain": text}:
                sys.stderr.write(text)
                sys.stderr.flush()
            case {"hear": count}:
                for _ in range(count):
                    heard = sys.stdin.buffer.readline().decode().removesuffix("\n")
            case {"flood": size}:
                sys.stdout.buffer.write(b"x" * size)
                sys.stdout.buffer.flush()
            case {"hang_up": _}:
                os.close(1)
            case {"exit": code}:
                os._exit(code)
            case {"die": _}:
                os.kill(os.getpid(), signal.SIGKILL)
            case {"refuse_to_end": _}:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                stubborn = True
            case {"wait": _}:
                while sys.stdin.buffer.read(1) or stubborn:
                    time.sleep(0.05)


main()
