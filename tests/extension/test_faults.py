"""The worker, the tab, the server or the network of a remote browser ends while a command runs (`faults.py`); more
often, and in random order, in `benchmarks/remote_faults.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.extension.faults import BACK_SECONDS, Rig

pytestmark = pytest.mark.browser


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["tab", "network", "server", "worker"])
async def test_a_command_ends_and_the_connection_is_back(fault: str, rig: Rig) -> None:
    record = await rig.suffer(fault, 0.02)
    assert record.answer.startswith(("ok ", "error ", "lost: "))
    assert record.back < BACK_SECONDS
    rig.check()


@pytest.fixture(scope="module")
def rig(extension: Path, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    made = Rig(Path(tmp_path_factory.mktemp("rig")), extension)
    run(made.__aenter__())
    yield made
    run(made.__aexit__())
