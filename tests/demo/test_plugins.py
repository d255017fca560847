"""`make demo-plugins`: a page gets a plugin's answer in Firefox, and a session calls a page's tool in Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from scripts.extension.builder import PYODIDE
from scripts.extension.firefox import firefox_program

pytestmark = [pytest.mark.node, pytest.mark.firefox]


@pytest.mark.browser
@pytest.mark.skipif(firefox_program() is None, reason="needs Firefox; setup/firefox.sh installs it")
@pytest.mark.skipif(shutil.which("node") is None or not PYODIDE.is_dir(), reason="needs Node and Pyodide")
def test_a_page_and_a_session_call_tools() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "scripts.demo_plugins"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    consent, _, rest = ended.stdout.partition("The user presses")
    for shown in ("asks to call this tool:", "time@plugins.oryn.example::now", '"timeZone": "Europe/Paris"'):
        assert shown in consent
    assert '"timeZone":"Europe/Paris","weekday":"' in rest
    assert 'plant(plant: string) "Plants something in a bed' in rest
    assert '# changes\n+ [1] button "Boston fern"' in rest
