"""How far a command is, on a terminal: a bar for each stage (Rich's; extra `daemon`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from oryn.engine.escape import plain, shortened

Show = Callable[[Mapping[str, Any] | None], None]
"""Takes `oryn.research.documents.Progress`; None is the end."""

_DETAIL = 60
"""Characters of what a stage is at."""


@contextmanager
def bars() -> Iterator[Show]:
    """On standard error, gone again in the end. Nothing where Rich is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
    except ImportError:
        yield lambda progress: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
    )
    stages: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:

        def show(progress: Mapping[str, Any] | None) -> None:
            if progress is None:
                shown.stop()
                return
            stage = str(progress["stage"])
            if stage not in stages:
                stages[stage] = shown.add_task(stage, total=None, detail="")
            detail = plain(shortened(str(progress.get("detail", "")), _DETAIL))
            shown.update(stages[stage], completed=progress["done"], total=progress.get("total"), detail=detail)

        yield show
