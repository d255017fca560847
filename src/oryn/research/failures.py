"""What research can't do: a branch of the tree in `oryn.errors`, kept here because nothing else raises it.

Every one says of which URL, provider, file or collection it speaks. A pipeline of many pages goes on without the ones
that failed, and tells of each; it raises only where nothing is left to go on with.
"""

from __future__ import annotations

from oryn.errors import ResearchError
from oryn.extras import requirement


class SearchRefused(ResearchError):
    """A search provider does not let us ask now: too many requests, a test for humans, a key that is wrong."""

    code = "SEARCH_REFUSED"
    advice = "Wait, ask another provider, such as --source wikipedia, or what is indexed: --source index."


class SearchChanged(ResearchError):
    """A provider answered with a page in which neither results nor the words for having none are found."""

    code = "SEARCH_CHANGED"
    advice = "Ask another provider, such as --source wikipedia; please report it."


class SearchProviderInvalid(ResearchError):
    """There is no search provider of that name, or it lacks what it needs: an address, a key."""

    code = "SEARCH_PROVIDER"


class NothingFound(ResearchError):
    """Neither what was searched for nor what was read has anything to report of."""

    code = "NOTHING_FOUND"
    advice = "Ask in other words, name pages to read (--url), or ask another provider (--source)."


class FetchFailed(ResearchError):
    """A page did not come: no such host, no connection, a status that is an error, a broken body. `again`: whether the
    same request may succeed later; `wait`: the seconds that the server asks for before that; `status`: what it said,
    or None."""

    code = "FETCH_FAILED"
    advice = "Check the URL; --browser always asks for it with a browser."

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        status: int | None = None,
        again: bool = False,
        wait: float | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.again = again
        self.wait = wait


class AddressNotAllowed(ResearchError):
    """A URL leads into an address range that is not the public internet's: at once, by its name, or by a redirect."""

    code = "ADDRESS_NOT_ALLOWED"
    advice = "--allow-private lets it, for hosts that you trust."


class RobotsDisallowed(ResearchError):
    """The site's robots.txt asks programs to leave this page alone."""

    code = "ROBOTS_DISALLOWED"
    advice = "Ask for pages that the site offers to programs."


class BodyTooLarge(ResearchError):
    """A body is larger than is taken, or becomes so when it is decompressed."""

    code = "BODY_TOO_LARGE"
    advice = "The setting max_body says how much is taken."


class NoText(ResearchError):
    """A page has nothing to read: a picture, an archive, an empty page."""

    code = "NO_TEXT"
    advice = "Open it in a browser to see what it is."


class ExtractionFailed(ResearchError):
    """A page can't be read to its end: that takes too long, or ends the process that does it."""

    code = "EXTRACTION_FAILED"
    advice = "Open it in a browser; 'text' has what it shows."


class NeedsBrowser(ResearchError):
    """A page is only a script's shell, and there is no browser that would run it. `why`: what tells."""

    code = "NEEDS_BROWSER"
    advice = "Use 'oryn extract', which has the session's browser, or give Research a renderer."

    def __init__(self, message: str, hint: str | None = None, *, why: str = "") -> None:
        super().__init__(message, hint)
        self.why = why


class EmbeddingModelMissing(ResearchError):
    """The embedding model's files are not there, or not those that were asked for (by their hash)."""

    code = "EMBEDDING_MODEL"
    advice = (
        f"Install '{requirement('research')}', or name a folder with model.onnx and tokenizer.json in embedding_model."
    )


class IndexBusy(ResearchError):
    """Another process has the index open."""

    code = "INDEX_BUSY"
    advice = "The daemon shares its own: use 'oryn search', or Research(index=…) with another folder."


class IndexFailed(ResearchError):
    """The index could not do it: its files are damaged, or its server does not answer."""

    code = "INDEX_FAILED"


class CollectionNotFound(ResearchError):
    """There is no collection of that name."""

    code = "COLLECTION_NOT_FOUND"
    advice = "'oryn index' lists the collections."


class CollectionMismatch(ResearchError):
    """A collection's vectors are of another model."""

    code = "COLLECTION_MISMATCH"
    advice = "Use another --collection, or drop this one: oryn index drop NAME."


class ClusterFailed(ResearchError):
    """A Ray cluster can't be reached, or a part of it ended in the middle of something."""

    code = "CLUSTER_FAILED"
    advice = "'ray status' tells how it is; without --engine ray the work is done here."


class CrawlStateInvalid(ResearchError):
    """What is to be resumed is no crawl's state, or another crawl's."""

    code = "CRAWL_STATE"
    advice = "Start anew without --resume."


class GraphAnswerInvalid(ResearchError):
    """The language model's answers don't hold to the schema, also when asked again."""

    code = "GRAPH_ANSWER"
    advice = "Use another model, or --no-llm."


class WorkerFailed(ResearchError):
    """The process that does research for a daemon ended in the middle of it, or does not start."""

    code = "WORKER_FAILED"
    advice = "Give the command again: another process starts. 'oryn daemon logs' may tell why."
