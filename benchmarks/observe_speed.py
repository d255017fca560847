"""How long a warm `observe --limit 0` takes, against a bare walk of the page over the same connection.

usage: python -m benchmarks.observe_speed FOLDER

(FOLDER/extraction/html/*.html.gz; the walk is FOLDER/../bare_walk.js)

Each page is measured in turn with the walk in the same run; the ratio of the medians is what counts. The last lines are
pages made here: of 5,000 and 20,000 interactive elements, and two whose elements cost a scan the most.
"""

from __future__ import annotations

import statistics
import urllib.parse

from benchmarks._saved_pages import SavedPages
from benchmarks._session import folder_argument, headless_session, must, paired, row, run
from oryn.engine import Session

ROUNDS = 7
SIZES = (5_000, 20_000)
COSTLY_PAGES = {
    "10000 rows, one listener": """
      document.body.innerHTML = `<table id=all>${"<tr><td>row".repeat(10000)}</table>`;
      all.addEventListener("click", () => {});
    """,
    "5000 controls without text": """
      document.body.innerHTML = "<p style='width:20px;height:20px' class='icon star' onclick=0></p>".repeat(5000);
    """,
}
"""Scripts that make pages, by their titles."""


def generated_page(count: int) -> str:
    """A page of `count` interactive elements as shops have them: links, buttons, fields and boxes in rows.

    All fields have an `aria-label`: without, `labels` takes the bare walk a time quadratic in their number."""
    script = f"""
      const kinds = [
        (i) => `<a href="/item/${{i}}">Item number ${{i}}</a>`,
        (i) => `<button type="button">Add ${{i}} to the cart</button>`,
        (i) => `<input aria-label="Amount ${{i}}" value="1">`,
        (i) => `<input type="checkbox" aria-label="Choose ${{i}}">`,
        (i) => `<select aria-label="Size ${{i}}"><option>S<option>M<option>L</select>`,
      ];
      const row = (_, i) => `<div class="row">${{kinds[i % 5](i)}}</div>`;
      document.body.innerHTML = Array.from({{length: {count}}}, row).join('');
    """
    return page_of(f"{count} elements", script)


def page_of(title: str, script: str) -> str:
    """The address of a page that a script makes."""
    page = f"<!doctype html><title>{title}</title><body><script>{script}</script>"
    return "data:text/html," + urllib.parse.quote(page)


async def ratio(session: Session, walk: str, rounds: int) -> tuple[float, float, int]:
    """Median seconds of the walk and of `observe`, and the number of elements."""
    answer = await must(session, "observe --limit 0")
    assert answer.observation is not None

    async def bare() -> None:
        # The first walk of a large page looks for the labels of every button, which is quadratic.
        await session.page.evaluate(walk, timeout=120)

    async def observe() -> None:
        (await must(session, "observe --limit 0")).render()

    base, ours = await paired(bare, observe, rounds=rounds)
    return base, ours, len(answer.observation.elements)


async def main() -> None:
    folder = folder_argument(__doc__)
    walk = (folder.resolve().parent / "bare_walk.js").read_text()
    ratios = []
    row("page", "walk ms", "observe ms", "ratio", "elements", widths=(34, 12, 12, 10, 10))

    async def measure(session: Session, title: str, url: str, rounds: int) -> float:
        await must(session, f'goto "{url}"' if len(url) < 4_000 else f"goto {url}")
        base, ours, count = await ratio(session, walk, rounds)
        row(title, f"{base * 1e3:.2f}", f"{ours * 1e3:.2f}", f"{ours / base:.2f}", count, widths=(34, 12, 12, 10, 10))
        return ours / base

    with SavedPages(folder) as pages:
        async with headless_session() as session:
            for name in pages.names:
                ratios.append(await measure(session, name[:16], pages.url(name), ROUNDS))
            large = [await measure(session, f"{count} elements", generated_page(count), 5) for count in SIZES]
            for title, script in COSTLY_PAGES.items():
                await measure(session, title, page_of(title, script), 5)
    quartiles = statistics.quantiles(ratios, n=4)
    print(
        f"ordinary pages {len(ratios)}  median ratio {quartiles[1]:.2f}  "
        f"(quartiles {quartiles[0]:.2f}, {quartiles[2]:.2f})  "
        + "  ".join(f"{count} elements {value:.2f}" for count, value in zip(SIZES, large, strict=True))
    )


if __name__ == "__main__":
    run(main)
