from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from oryn.models import Prices, Usage, estimated_tokens


def test_usages_add_up_and_one_estimate_makes_the_sum_one() -> None:
    assert Usage(10, 2) + Usage(5, 1) == Usage(15, 3)
    assert Usage(10, 2) + Usage(5, 1, estimated=True) == Usage(15, 3, estimated=True)


def test_prices_are_of_a_million_tokens() -> None:
    assert Prices(2.5, 10).cost(Usage(1_000_000, 100_000)) == 3.5
    assert Prices(0, 0).cost(Usage(1, 1)) == 0
    assert Prices(2.5).cost(Usage(1, 1)) is None
    assert Prices().cost(Usage(1, 1)) is None


@given(some.text())
def test_an_estimate_grows_with_the_text(text: str) -> None:
    assert 4 <= estimated_tokens([text]) <= estimated_tokens([text + "xxxx"])
