"""The port on which a browser listens: whose it is, and shutting it to everyone else.

The browser takes commands from any connection to its port, so each user of the computer could drive it. On Linux, Oryn
borrows the browser's listening socket, which proves that the port is the browser's own, and puts a filter on it that
drops all that arrives, as soon as its own connection stands: no further connection comes about, and the browser notices
nothing. What came before belongs to Oryn's own user, or the browser is not used.

https://man7.org/linux/man-pages/man2/pidfd_getfd.2.html, https://man7.org/linux/man-pages/man7/socket.7.html
(`SO_ATTACH_FILTER`)"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from oryn.browsers.process.process_tree import descendants
from oryn.browsers.webkit.launch import Address
from oryn.core.records import Record

_ANY_HOST = "0.0.0.0"
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


def borrow(group: int, address: Address) -> socket.socket | None:
    """The socket by which a process below `group`, which leads a process group, listens at `address`. None if there is
    none, or if the system does not lend it: a container that forbids it, or a kernel before 5.6."""
    for pid in descendants(group):
        for descriptor, _ in _socket_descriptors(pid):
            with suppress(OSError):
                found = _borrow(pid, descriptor)
                if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and found.getsockname() == address:
                    return found
                found.close()
    return None


def listens(group: int, address: Address) -> bool:
    """Whether a process below `group` listens at `address`, according to the system's table: it takes 6 ms."""
    inodes = {row.inode for row in _sockets(address) if row.local == address and row.state == _LISTENS}
    return any(inode in inodes for pid in descendants(group) for _, inode in _socket_descriptors(pid))


def is_of_another_user(peer: tuple[str | int, ...]) -> bool:
    """Whether a process of this computer listens at `peer`, the other end of a connection, that is another user's. It
    takes 6 ms."""
    host, port = str(peer[0]), int(peer[1])
    if ":" in host:
        return False  # the table has addresses of IPv4 alone
    rows = [row for each in (host, _ANY_HOST) for row in _sockets((each, port)) if row.local == (each, port)]
    return any(row.state == _LISTENS and row.uid != os.geteuid() for row in rows)


def shut(listener: socket.socket) -> bool:
    """Let no further connection to a borrowed socket come about. Whether the system allows that."""
    code = ctypes.create_string_buffer(_DROP_ALL)
    try:
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(code)))
        listener.setsockopt(socket.SOL_SOCKET, _SO_LOCK_FILTER, 1)
    except OSError:
        return False
    return True


def strangers(address: Address) -> list[Address]:
    """The connections to `address` whose other end is of no process of this user. It takes 6 ms."""
    rows = _sockets(address)
    ours = {row.local for row in rows if row.uid == os.geteuid() and row.inode != "0"}
    return [row.remote for row in rows if row.local == address and row.state != _LISTENS and row.remote not in ours]


def _sockets(address: Address) -> list[TcpSocket]:
    """The sockets that have `address` at either end."""
    host, port = address
    text = f"{struct.unpack('=I', socket.inet_aton(host))[0]:08X}:{port:04X}"
    rows = []
    for line in _TABLE.read_text().splitlines():
        if text in line:
            _, local, remote, state, _, _, _, uid, _, inode, *_ = line.split()
            rows.append(TcpSocket(_address(local), _address(remote), state, int(uid), inode))
    return rows


def _address(text: str) -> Address:
    """`0100007F:A371` is 127.0.0.1 and port 41841 where numbers are little-endian."""
    host, port = text.split(":")
    return socket.inet_ntoa(struct.pack("=I", int(host, 16))), int(port, 16)


def _socket_descriptors(pid: int) -> Iterator[tuple[int, str]]:
    """The descriptors of the sockets of a process, and their inodes."""
    folder = f"/proc/{pid}/fd"
    with suppress(OSError):
        for entry in os.listdir(folder):
            with suppress(OSError):
                kind, _, inode = os.readlink(f"{folder}/{entry}").partition(":[")
                if kind == "socket":
                    yield int(entry), inode.rstrip("]")


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
