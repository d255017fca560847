"""Which modules the models load: programs that only need a reply load no engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent.parent / "src"

MAX_FOREIGN_MODULES = 12


def test_models_load_little_of_oryn() -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import oryn.models; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)
    foreign = {name for name in done.stdout.split() if name.startswith("oryn.") and not name.startswith("oryn.models")}
    assert len(foreign) <= MAX_FOREIGN_MODULES
    assert all(name.split(".")[1] in ("core", "errors", "system") for name in foreign), foreign
