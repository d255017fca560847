"""Other extractors of main text, for `extraction.py --peers`: those that are installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from lxml.html import document_fromstring
from trafilatura import extract


def _trafilatura(*, precision: bool = False, recall: bool = False) -> Callable[[bytes], str]:
    return lambda html: extract(html, include_comments=False, favor_precision=precision, favor_recall=recall) or ""


def _readability(html: bytes) -> str:
    from readability import Document

    try:
        summary = Document(html.decode("utf-8", errors="replace")).summary()
    except Exception:  # noqa: BLE001
        # Pages without a body, and whatever else it did not foresee: it finds nothing then.
        return ""
    return "\n".join(document_fromstring(summary).itertext()) if summary.strip() else ""


def _justext(html: bytes) -> str:
    import justext

    try:
        paragraphs = justext.justext(html, justext.get_stoplist("English"))
    except Exception:  # noqa: BLE001
        # As above.
        return ""
    return "\n".join(each.text for each in paragraphs if not each.is_boilerplate)


def _resiliparse(html: bytes) -> str:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    found: str = extract_plain_text(bytes_to_str(html, detect_encoding(html)), main_content=True, alt_texts=False)
    return found


def _newspaper(html: bytes) -> str:
    from newspaper import Article

    article = Article("https://page.example/")
    try:
        article.download(input_html=html.decode("utf-8", errors="replace"))
        article.parse()
    except Exception:  # noqa: BLE001
        # As above.
        return ""
    return str(article.text)


_OPTIONAL = (
    ("readability", "readability-lxml", _readability),
    ("justext", "jusText", _justext),
    ("resiliparse", "resiliparse", _resiliparse),
    ("newspaper", "newspaper4k", _newspaper),
)


def installed_peers() -> dict[str, Callable[[bytes], str]]:
    """The extractors by name; of those that can't be imported, a line is printed."""
    peers = {
        "trafilatura": _trafilatura(),
        "trafilatura precision": _trafilatura(precision=True),
        "trafilatura recall": _trafilatura(recall=True),
    }
    for module, name, extract_main_text in _OPTIONAL:
        try:
            import_module(module)
        except ImportError as error:
            print(f"{name:24} not installed: {error}")
        else:
            peers[name] = extract_main_text
    return peers
