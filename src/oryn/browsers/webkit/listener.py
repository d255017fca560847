"""The port on which a browser listens: whose it is, and shutting it to everyone else.

The browser takes commands from any connection to its port, so each user of the computer could drive it. On Linux, Oryn
makes sure that the port is the browser's own, borrows its listening socket as soon as the connection stands, and puts
a filter on it that drops all that arrives: no further connection comes about, and the browser notices nothing. What
came before belongs to Oryn's own user, or the browser is not used.

https://man7.org/linux/man-pages/man2/pidfd_getfd.2.html, https://man7.org/linux/man-pages/man7/socket.7.html
(`SO_ATTACH_FILTER`)"""

from __future__ import annotations

import ctypes
import os
import re
import socket
import struct
from contextlib import suppress
from pathlib import Path

from oryn.browsers.process.process_tree import descendants
from oryn.core.records import Record

Address = tuple[str, int]

_LISTENS = "0A"
_SYS_PIDFD_GETFD = 438  # on all architectures
_SO_ATTACH_FILTER, _SO_LOCK_FILTER = 26, 44
_DROP_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)  # BPF_RET | BPF_K: keep 0 bytes of the packet
_TABLE = Path("/proc/net/tcp")


class TcpSocket(Record):
    """A row of the system's table of sockets (https://docs.kernel.org/networking/proc_net_tcp.html).

    uid: the user whose process has created it."""

    local: Address
    remote: Address
    state: str
    uid: int
    inode: str


def can_check() -> bool:
    """Whether the system tells who listens: Linux with `/proc`."""
    return _TABLE.exists()


def listening_process(group: int, address: Address) -> int | None:
    """The process below `group`, which leads a process group, that listens at `address`. None if it is another one."""
    inode = next((row.inode for row in _sockets() if row.local == address and row.state == _LISTENS), "")
    return next((pid for pid in descendants(group) if _descriptor(pid, inode) is not None), None)


def shut(pid: int, address: Address) -> bool:
    """Let the process `pid`, which listens at `address`, get no further connections there. Returns False if the system
    does not allow that."""
    inode = next((row.inode for row in _sockets() if row.local == address and row.state == _LISTENS), "")
    descriptor = _descriptor(pid, inode)
    if descriptor is None:
        return False
    try:
        listener = _borrow(pid, descriptor)
    except OSError:  # a container that forbids it, or a kernel before 5.6
        return False
    with listener:
        code = ctypes.create_string_buffer(_DROP_ALL)
        try:
            listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(code)))
            listener.setsockopt(socket.SOL_SOCKET, _SO_LOCK_FILTER, 1)
        except OSError:
            return False
    return True


def strangers(address: Address) -> list[Address]:
    """The connections to `address` whose other end is of no process of this user."""
    rows = _sockets()
    ours = {row.local for row in rows if row.uid == os.geteuid() and row.inode != "0"}
    return [row.remote for row in rows if row.local == address and row.state != _LISTENS and row.remote not in ours]


def _sockets() -> list[TcpSocket]:
    rows = []
    for line in _TABLE.read_text().splitlines()[1:]:
        _, local, remote, state, _, _, _, uid, _, inode, *_ = line.split()
        rows.append(TcpSocket(_address(local), _address(remote), state, int(uid), inode))
    return rows


def _address(text: str) -> Address:
    """`0100007F:A371` is 127.0.0.1 and port 41841 where numbers are little-endian."""
    host, port = text.split(":")
    return socket.inet_ntoa(struct.pack("=I", int(host, 16))), int(port, 16)


def _descriptor(pid: int, inode: str) -> int | None:
    """The descriptor by which a process has the socket `inode`."""
    folder = Path(f"/proc/{pid}/fd")
    with suppress(OSError):
        for entry in os.listdir(folder):
            with suppress(OSError):
                if inode and re.fullmatch(rf"socket:\[{inode}\]", os.readlink(folder / entry)):
                    return int(entry)
    return None


def _borrow(pid: int, descriptor: int) -> socket.socket:
    """A socket of another process. Raises `OSError`."""
    process = os.pidfd_open(pid)
    try:
        system = ctypes.CDLL(None, use_errno=True)
        copy = system.syscall(_SYS_PIDFD_GETFD, process, descriptor, 0)
        if copy < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
        return socket.socket(fileno=copy)
    finally:
        os.close(process)
