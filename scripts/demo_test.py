"""`make demo-test`: records a test in the demo's shop, learns what varies and runs it; then breaks the shop in three
ways, and prints the step that each breaks.

usage: python -m scripts.demo_test"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from unittest import mock

from oryn.demo import routes
from oryn.demo.models import ShopVisitor
from oryn.demo.routes import ShopResponse
from oryn.demo.server import open_shop

PASSWORD = "lovelace"
ACTS = (
    "accept cookies",
    'click "Sign in"',
    f"sign_in ada@example.org {PASSWORD}",
    "site_search fern",
    'click "Boston fern"',
    'click "More"',
    'check "Remind me to water it"',
    'click "Add to cart"',
    'click "Check out"',
    'select "Deliver" "On Saturday"',
    'check "Wrap it as a gift"',
    'click "Place order"',
)


def _nothing_added(visitor: ShopVisitor, slug: str, count: int) -> None:
    """The shop forgets what is put into the cart."""


BREAKS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "the password is refused": lambda: mock.patch.object(ShopVisitor, "sign_in", lambda *_: False),
    "the cart loses what is put into it": lambda: mock.patch.object(ShopVisitor, "add", _nothing_added),
    "the order fails": lambda: mock.patch.dict(
        routes._POST, {"/checkout": lambda request: ShopResponse("<h1>Something went wrong</h1>", 500)}
    ),
}


class DemoShell:
    """Runs `oryn` in a folder of its own, as a shell would."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {**os.environ, "ORYN_HOME": str(folder / "home"), "ORYN_SESSION": "demo"}

    def oryn(self, *words: str, shown: str = "", check: bool = True, text: str | None = None) -> str:
        """Run a command, print it and what it says, and return that."""
        print(f"$ oryn {shown or ' '.join(words)}", flush=True)
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", *words],
            cwd=self._folder,
            env=self._environment,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(ended.stdout, flush=True)
        if check and ended.returncode:
            sys.exit(f"oryn {words[0]} ended with {ended.returncode}")
        return ended.stdout


@contextmanager
def demo_shell() -> Iterator[DemoShell]:
    """A shell whose daemon ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        shell = DemoShell(Path(folder))
        try:
            yield shell
        finally:
            shell.oryn("daemon", "stop", check=False)


def main() -> None:
    """Do all of it."""
    results: list[str] = []
    with open_shop(0) as shop, demo_shell() as shell:
        shell.oryn("vault", "set", "buy.password", "--origin", shop.url, text=PASSWORD)
        shell.oryn("goto", shop.url)
        shell.oryn("test", "record", "buy")
        for act in ACTS:
            words = act.split(" ") if '"' not in act else [act.split(" ")[0], *act.split('"')[1::2]]
            shell.oryn(*words, shown=act.replace(PASSWORD, "••••"))
        shell.oryn("test", "stop")
        shell.oryn("test", "learn", "buy.oryntest")
        shell.oryn("test", "run", "buy.oryntest")
        for what, broken in BREAKS.items():
            print(f"--- the shop is broken: {what}\n")
            with broken():
                said = shell.oryn("test", "run", "buy.oryntest", check=False)
            step = re.search(r"step \d+: .*", said)
            results.append(f"{what}: {step[0] if step else 'not found'}")
        print("\n".join(results), flush=True)
        if any(each.endswith("not found") for each in results):
            sys.exit(1)


if __name__ == "__main__":
    main()
