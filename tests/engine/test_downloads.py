"""Names and sizes of downloads. Also runs in WebAssembly."""

from __future__ import annotations

import pytest

from oryn.engine.page.downloads import MAX_NAME_CHARACTERS, file_size, safe_name


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("Übersicht 2026.xlsx", "Übersicht 2026.xlsx"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("/etc/passwd", "passwd"),
        ("C:evil.txt", "C_evil.txt"),
        (".bashrc", "bashrc"),
        ("...", "download"),
        ("", "download"),
        ("name. . ", "name"),
        ("CON", "_CON"),
        ("aux.txt", "_aux.txt"),
        ("COM1.tar.gz", "_COM1.tar.gz"),
        ("console.log", "console.log"),
        ("a\nb\tc\x00d", "a_b_c_d"),
        ("photo\u202egpj.exe", "photo_gpj.exe"),
        ('a<b>:"c|d?*', "a_b___c_d__"),
        ("\ud800.bin", "_.bin"),
    ],
)
def test_a_name_is_one_on_every_system(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


def test_a_long_name_keeps_its_ending() -> None:
    assert safe_name("x" * 300 + ".pdf") == "x" * (MAX_NAME_CHARACTERS - 4) + ".pdf"
    assert len(safe_name("x." + "y" * 300)) <= MAX_NAME_CHARACTERS


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234, "1.2 kB"), (48_000, "48 kB"), (999_700, "1 MB"),
        (120_400_000, "120 MB"), (2_000_000_000, "2 GB"), (2_400_000_000, "2.4 GB"),
    ],
)  # fmt: skip
def test_sizes(size: int, text: str) -> None:
    assert file_size(size) == text
