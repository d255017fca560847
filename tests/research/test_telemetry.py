"""No library of research reports its use: it connects only to the servers of pages and of configured services."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_modules import imports, modules

pytestmark = pytest.mark.processes

PROBE = Path(__file__).with_name("telemetry_probe.py")


class Probe:
    """The models, loaded in a network namespace of their own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        resolver = folder / "resolv.conf"
        resolver.write_text("nameserver 127.0.0.1\n")
        # Without the variables of CI services, for which the library reports nothing.
        passed = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "PYTHONPATH")
        without = {name: os.environ[name] for name in passed if name in os.environ}
        self._process = subprocess.Popen(
            ["unshare", "-rnm", sys.executable, PROBE, resolver, *arguments],
            env=without | {"TMPDIR": str(self.temporary)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def end(self) -> str:
        """End the program and return the rest of its lines."""
        return self._process.communicate(timeout=60)[0]


@pytest.mark.slow
def test_no_library_reports_its_use(tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rnm", "true"], capture_output=True).returncode:
        pytest.skip("this system makes no network namespaces")
    ours = Probe(tmp_path / "ours")
    assert (ours.line(), ours.line()) == ("ready", "loaded")
    control = Probe(tmp_path / "control", "control")
    assert (control.line(), control.line()) == ("ready", "loaded")
    # The library itself reports its use some seconds later. By then, ours has had more time.
    assert control.line().startswith("query")
    control.end()
    assert ours.end() == ""
    assert [each.name for each in ours.temporary.iterdir()] == []


def test_onnx_runtime_is_imported_in_one_place() -> None:
    importing = [
        name for name, file in modules("oryn") if any(each.split(".")[0] == "onnxruntime" for each in imports(file))
    ]
    assert importing == ["oryn.research.onnx_runtime"]
