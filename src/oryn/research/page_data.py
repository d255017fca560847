"""`page_data`: fetches a page, also the following pages of its list, and reads a schema from them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.errors import OrynError
from oryn.research.documents import FetchedPage, ProgressCallback, ResearchProgress
from oryn.research.extractor import read_at
from oryn.research.structured_data.extraction import DataRequest, PageData
from oryn.research.structured_data.schema import SchemaField, read_schema

if TYPE_CHECKING:
    from oryn.models.model import ChatModel
    from oryn.research.context import ResearchContext
    from oryn.research.extractor import BrowserMode

MAX_LIST_PAGES = 10
"""The default number of pages of a list."""


async def page_data(
    context: ResearchContext,
    url: str,
    schema: Mapping[str, Any],
    *,
    browser: BrowserMode = "auto",
    fresh: bool = False,
    follow_next: bool = False,
    pages: int = MAX_LIST_PAGES,
    model: ChatModel | None = None,
    progress: ProgressCallback | None = None,
) -> PageData:
    """The values of `schema` at `url`. Parameters and errors as in `Research.extract_data`."""
    field = read_schema(schema)
    fetcher = await context.fetcher()

    async def reading(page: FetchedPage) -> PageData:
        # Without a browser, a page has at least what it says about itself in its head.
        shells = browser == "never" or context.renderer is None
        return await read_page(context, page, schema, field, model, shells=shells)

    async def load(url: str) -> PageData:
        return await read_at(
            url,
            reading,
            fetcher=fetcher,
            renderer=context.renderer,
            browser=browser,
            fresh=fresh,
            unrendered=lambda page, _: reading(page),
        )

    data = await load(url)
    seen = {data.url, url}
    count = 1
    while follow_next and data.next_url and data.next_url not in seen and count < pages:
        count += 1
        if progress is not None:
            progress(ResearchProgress("extract", count, None, data.next_url))
        seen.add(data.next_url)
        try:
            data = append_page(data, await load(data.next_url))
        except OrynError as error:
            return data.replace(doubts=(*data.doubts, f"the list ends early: {error.message}"))
    if follow_next and data.next_url and data.next_url not in seen:
        data = data.replace(doubts=(*data.doubts, f"the list goes on: only {pages} pages were read"))
    return data


async def read_page(
    context: ResearchContext,
    page: FetchedPage,
    schema: Mapping[str, Any],
    field: SchemaField,
    model: ChatModel | None,
    *,
    shells: bool = True,
) -> PageData:
    """The data of one page, with the selectors of its site and, for what is missing, the model. Without `shells`,
    raises `NeedsBrowser` for a page whose data would be created by a script."""
    pool, store = await context.data_pool(), context.selectors()
    stored = await asyncio.to_thread(store.load, page.url, schema)
    request = DataRequest(
        **page.values(),
        schema=dict(schema),
        selectors=tuple((pointer, selector) for pointer, (selector, _) in stored.items()),
        proven=tuple(pointer for pointer, (_, proofs) in stored.items() if proofs >= store.min_proofs),
        with_text=model is not None,
        shells=shells,
    )
    data: PageData = await pool.run(request)
    if model is not None and data.missing:
        from oryn.research.structured_data.model_answers import fill_missing

        data, quotes = await fill_missing(data, field, model)
        if quotes:
            taught: PageData = await pool.run(request.replace(quotes=tuple(quotes.items()), with_text=False))
            data = data.replace(learnt=taught.learnt, refuted=taught.refuted)
    await asyncio.to_thread(store.update, page.url, schema, data.learnt, data.refuted)
    return data.replace(learnt=(), refuted=(), text="")


def append_page(data: PageData, following: PageData) -> PageData:
    """The data of a list with the rows of its following page. Values outside lists stay those of the first page."""
    if isinstance(data.data, list) and isinstance(following.data, list):
        offsets = {"": len(data.data)}
        merged: Any = [*data.data, *following.data]
    elif isinstance(data.data, dict) and isinstance(following.data, dict):
        lists = {name: rows for name, rows in following.data.items() if isinstance(rows, list)}
        offsets = {f"/{name}": len(data.data[name] or ()) for name in lists}
        merged = {**data.data, **{name: [*(data.data[name] or ()), *rows] for name, rows in lists.items()}}
    else:
        return data.replace(next_url=following.next_url)
    places = [place.replace(pointer=moved, url=following.url) for place in following.places
              if (moved := _moved(place.pointer, offsets))]  # fmt: skip
    missing = [moved for pointer in following.missing if (moved := _moved(pointer, offsets))]
    return data.replace(
        data=merged,
        places=(*data.places, *places),
        missing=(*data.missing, *missing),
        doubts=tuple(dict.fromkeys((*data.doubts, *following.doubts))),
        next_url=following.next_url,
    )


def _moved(pointer: str, offsets: Mapping[str, int]) -> str:
    """The pointer into the joined list; empty if it is not into a list."""
    for prefix, offset in offsets.items():
        number, slash, rest = pointer.removeprefix(f"{prefix}/").partition("/")
        if pointer.startswith(f"{prefix}/") and number.isdigit():
            return f"{prefix}/{int(number) + offset}{slash}{rest}"
    return ""
