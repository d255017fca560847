"""The TeX of formulas: from the annotation or the `alttext` of MathML (https://www.w3.org/TR/mathml-core/), also within
the output of KaTeX (https://katex.org) and MathJax (https://www.mathjax.org), and of MediaWiki."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml.html import HtmlElement

_FORMULA_CLASSES = frozenset(("katex", "katex-display", "mwe-math-element", "MathJax", "MathJax_Display", "ltx_Math"))
_TEX = ("application/x-tex", "text/x-tex", "latex", "tex", "application/x-latex")
_WRAPPED = re.compile(r"\{\\(?:displaystyle|textstyle)\s*+(.*)\}", re.DOTALL)


class Formula(NamedTuple):
    """A formula's source, and whether it stands on a line of its own. Without TeX of it, `tex` is its text on
    one line."""

    tex: str
    display: bool


def formula_of(element: HtmlElement) -> Formula | None:
    """The formula that an element is; None for elements that are none."""
    tag = element.tag
    if tag == "math":
        return _of_mathml(element)
    if tag == "mjx-container" or tag == "span" or tag == "div":
        if tag != "mjx-container" and _FORMULA_CLASSES.isdisjoint((element.get("class") or "").split()):
            return None
        found = next(element.iter("math"), None)
        if found is not None:
            formula = _of_mathml(found)
            display = formula.display or "display" in (element.get("class") or "") or element.get("display") == "true"
            return Formula(formula.tex, display)
    return None


def _of_mathml(element: HtmlElement) -> Formula:
    display = element.get("display") == "block"
    for annotation in element.iter("annotation"):
        if (annotation.get("encoding") or "").lower() in _TEX:
            return Formula(_unwrapped(annotation.text_content()), display)
    if alternative := element.get("alttext"):
        return Formula(_unwrapped(alternative), display)
    return Formula(" ".join(_linear(element).split()), display)


def _unwrapped(tex: str) -> str:
    tex = " ".join(tex.split())
    wrapped = _WRAPPED.fullmatch(tex)
    return wrapped[1].strip() if wrapped else tex


def _linear(element: HtmlElement) -> str:
    """MathML without a source, on one line in TeX's form."""
    children = [each for each in element if isinstance(each.tag, str)]
    parts = [_linear(each) for each in children]
    match element.tag, parts:
        case "msup", [base, exponent]:
            return f"{base}^{_grouped(exponent)}"
        case "msub", [base, index]:
            return f"{base}_{_grouped(index)}"
        case "msubsup", [base, index, exponent]:
            return f"{base}_{_grouped(index)}^{_grouped(exponent)}"
        case "mfrac", [numerator, denominator]:
            return f"\\frac{{{numerator}}}{{{denominator}}}"
        case "msqrt", _:
            return f"\\sqrt{{{''.join(parts)}}}"
        case (("annotation" | "annotation-xml"), _):
            return ""
        case "mo", []:
            return f" {(element.text or '').strip()} "
        case _, []:
            return (element.text or "").strip()
        case _:
            return "".join(parts)


def _grouped(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"
