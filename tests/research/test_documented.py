"""The Python of docs/research.md does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.research.options import ResearchOptions
from oryn.research.search import provider, provider_of
from tests.research.search.fake_engine import search_client
from tests.research.server import Site
from tests.research.small_web import CARE, SPORES, answer, article

PROJECT = Path(__file__).parent.parent.parent
FIRST, SECOND = re.findall(
    r"^```python\n(.*?)^```$", (PROJECT / "docs" / "research.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)

# What a user has in settings a program gives as options: here, a web of the test's own.
OPTIONS = """
import functools
import oryn.research
from pathlib import Path
from oryn.research.options import ResearchOptions
oryn.research.ResearchOptions = functools.partial(ResearchOptions, **{options})
"""


@pytest.mark.slow
def test_a_program_as_it_is_documented(tmp_path: Path) -> None:
    with Site() as site:
        spores = site.page("/spores", article("How ferns make spores", SPORES))
        answer(site, spores, site.page("/care", article("Caring for ferns", CARE)))
        options = (
            f"{{'allow_private': True, 'search_url': {site.url('/html/')!r}, "
            "'page_cache': Path('pages'), 'index': Path('index')}"
        )
        code = OPTIONS.format(options=options) + FIRST
        done = subprocess.run(
            [sys.executable, "-W", "error::ResourceWarning", "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(PROJECT / "src"), "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    title, *sentences = done.stdout.splitlines()
    assert title.startswith("How ferns make spores")
    assert len(sentences) > 1
    assert sentences[0].endswith(f"[1] {spores}")
    assert "<title>How do ferns reproduce?</title>" in (tmp_path / "ferns.html").read_text("utf-8")


async def test_a_provider_as_it_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "_PROVIDERS", dict(provider._PROVIDERS))
    exec(SECOND, {})
    async with search_client() as client:
        [hit] = await provider_of("garden", ResearchOptions(), client).search("ferns", 3)
    assert hit.title == "Ferns"
