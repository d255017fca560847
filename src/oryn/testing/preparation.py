"""What a test prepares: lines of its session, its pages' clock, and commands of the system's shell."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from oryn.errors import PreparationFailed
from oryn.language.lexer import quote
from oryn.testing.test_file import Preparation

SHELL_SECONDS = 300.0
"""Seconds that a seed or cleanup command may take."""
MAX_OUTPUT_CHARACTERS = 2_000

_SCRIPT = """\
(() => {
  const shift = SHIFT, Real = Date;
  const now = () => Real.now() + shift;
  const Shifted = function Date(...parts) {
    if (!new.target) return new Real(now()).toString();
    return Reflect.construct(Real, parts.length ? parts : [now()], new.target);
  };
  Object.setPrototypeOf(Shifted, Real);
  Shifted.prototype = Real.prototype;
  Shifted.prototype.constructor = Shifted;
  Shifted.now = now;
  globalThis.Date = Shifted;
  const formats = Intl.DateTimeFormat.prototype;
  const format = Object.getOwnPropertyDescriptor(formats, "format");
  Object.defineProperty(formats, "format", {
    ...format,
    get() {
      const own = format.get.call(this);
      return (date) => own(date === undefined ? now() : date);
    },
  });
  const parts = formats.formatToParts;
  formats.formatToParts = function formatToParts(date) {
    return parts.call(this, date === undefined ? now() : date);
  };
})();
"""


def clock_script(moment: str, now: float | None = None) -> str:
    """The script for pages whose clock begins at `moment` (ISO 8601 with a zone) when it is `now` (Unix time in
    seconds, by default this moment)."""
    shift = datetime.fromisoformat(moment).timestamp() - (time.time() if now is None else now)
    return _SCRIPT.replace("SHIFT", json.dumps(round(shift * 1000)))


def preparing_lines(wanted: Preparation, folder: str) -> list[str]:
    """The lines that prepare a session, for a test in `folder`."""
    lines = [f"viewport {wanted.viewport.replace('x', ' ')}"] if wanted.viewport else []
    lines += [f"locale {wanted.locale}"] if wanted.locale else []
    lines += [f"timezone {wanted.timezone}"] if wanted.timezone else []
    lines += [f"state load {quote(os.path.join(folder, wanted.state))}"] if wanted.state else []
    return lines


async def run_shell(command: str, what: str, folder: Path, variables: Mapping[str, str]) -> None:
    """Run a command of the system's shell, with these variables in its environment. Raises `PreparationFailed`."""
    process = await asyncio.create_subprocess_shell(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), SHELL_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise PreparationFailed(f"the {what} command has not ended within {SHELL_SECONDS:.0f} s") from None
    if process.returncode:
        text = output.decode("utf-8", "replace").strip()[-MAX_OUTPUT_CHARACTERS:]
        raise PreparationFailed(f"the {what} command failed with exit code {process.returncode}: {text}")
