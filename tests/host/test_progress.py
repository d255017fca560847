from __future__ import annotations

import io

from oryn.hosts.terminal import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_it_is_and_is_wiped_in_the_end() -> None:
    terminal = Terminal()
    show_progress("encoding a.webm", 0.426, terminal)
    assert terminal.getvalue() == "\r# encoding a.webm 43%"
    show_progress("encoding a.webm", 1.0, terminal)
    wiped = " " * len("# encoding a.webm 43% ")
    assert terminal.getvalue() == f"\r# encoding a.webm 43%\r{wiped}\r"


def test_progress_is_not_printed_without_a_terminal() -> None:
    stream = io.StringIO()
    show_progress("encoding a.webm", 0.5, stream)
    assert stream.getvalue() == ""
