"""A PDF of a few paragraphs, as small as one may be: one font, as many pages as are needed.

https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf, §7.5
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

WIDTH = 80
LINES = 50
"""Lines of a page."""


def pdf(title: str, paragraphs: Iterable[str]) -> bytes:
    lines = [title, ""]
    for paragraph in paragraphs:
        lines += [*textwrap.wrap(paragraph, WIDTH), ""]
    pages = [lines[start : start + LINES] for start in range(0, len(lines), LINES)]
    numbers = range(4, 4 + 2 * len(pages), 2)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in zip(numbers, pages, strict=True):
        content = _content(page)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    objects.append(f"<< /Title ({_escaped(title)}) >>")
    return _file(objects)


def _content(lines: list[str]) -> str:
    shown = " ".join(f"({_escaped(line)}) Tj T*" for line in lines)
    return f"BT /F1 11 Tf 14 TL 60 780 Td {shown} ET"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: list[str]) -> bytes:
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    trailer = f"<< /Size {count} /Root 1 0 R /Info {count - 1} 0 R >>"
    end = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n{trailer}\nstartxref\n{len(out)}\n%%EOF\n"
    return out + end.encode()
