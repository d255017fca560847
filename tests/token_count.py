"""Counting tokens as models of the o200k family count them."""

from __future__ import annotations

import warnings


def count(text: str) -> int:
    """How many tokens of o200k a text is."""
    with warnings.catch_warnings():
        # It reads its tables by a function that newer Pythons have deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return len(bpe_openai.get_encoding("o200k_base").encode(text))
