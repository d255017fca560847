"""What a machine with one family of fonts shows, on a machine that has several."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


def folders() -> list[Path]:
    """The folders of the machine's fonts, as fontconfig tells; none where it is not installed."""
    if shutil.which("fc-list") is None:
        return []
    told = subprocess.run(["fc-list", "--format", "%{file}\n"], capture_output=True, text=True, check=True).stdout
    return sorted({Path(line).parent for line in told.splitlines()})


def only(fonts: Path, folder: Path) -> str:
    """A file for `FONTCONFIG_FILE`, written into `folder`, with which there are no fonts but those in `fonts`."""
    file = folder / "fonts.conf"
    file.write_text(CONFIGURATION.format(fonts=escape(str(fonts)), cache=escape(str(folder / "cache"))))
    return str(file)
