"""PDFs for tests, written by hand: pages of lines, with what a file tells of itself."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from pypdf import PdfReader, PdfWriter

Line = str | Sequence[tuple[int, str]]


def pdf(pages: Sequence[Sequence[Line]], **told: str) -> bytes:
    """A page for each list of lines (Latin letters; an empty line is a gap). A line may be cells of a table, each with
    its distance from the left in points. `told` becomes its metadata: `Title`, `Author`, `CreationDate` …; `Lang` its
    language."""
    language = told.pop("Lang", "")
    bodies = ["<</Type/Catalog/Pages 2 0 R" + (f"/Lang({language})" if language else "") + ">>", ""]
    bodies.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    kids = []
    for lines in pages:
        shown = "".join(map(_drawn, lines))
        stream = f"BT /F1 11 Tf 14 TL 50 780 Td\n{shown}ET"
        bodies.append(f"<</Length {len(stream.encode('cp1252'))}>>\nstream\n{stream}\nendstream")
        fonts = "/Resources<</Font<</F1 3 0 R>>>>"
        bodies.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {len(bodies)} 0 R{fonts}>>")
        kids.append(f"{len(bodies)} 0 R")
    bodies[1] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>"
    info = "".join(f"/{name}({_escaped(value)})" for name, value in told.items())
    bodies.append(f"<<{info}>>")
    made = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(made)
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(bodies) + 1
    made += f"xref\n0 {size}\n0000000000 65535 f \n{rows}".encode()
    made += f"trailer<</Size {size}/Root 1 0 R/Info {len(bodies)} 0 R>>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(made)


def _drawn(line: Line) -> str:
    if isinstance(line, str):
        return f"({_escaped(line)}) Tj T*\n"
    cells = "".join(f"{distance} 0 Td ({_escaped(text)}) Tj {-distance} 0 Td\n" for distance, text in line)
    return f"{cells}T*\n"


def encrypted(body: bytes, password: str) -> bytes:
    """The same, for who has the password; with an empty one everybody has it."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(body)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
