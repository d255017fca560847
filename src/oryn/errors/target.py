"""Errors of a command's target: the element does not exist, or is not in a state for the command (seed 003 §2.3)."""

from __future__ import annotations

from oryn.errors.base import OrynError


class TargetError(OrynError):
    """Base of errors about the element that a command names."""

    exit_code = 4


class ElementNotFound(TargetError):
    """No element on the page matches the target."""

    code = "ELEMENT_NOT_FOUND"
    advice = "Run 'observe' to refresh."


class ElementStale(TargetError):
    """The element has left the page since it was observed."""

    code = "ELEMENT_STALE"
    advice = "The element has left the page. Run 'observe' to refresh."


class ElementNotVisible(TargetError):
    """The element has no size, is hidden, or can't be scrolled into view."""

    code = "ELEMENT_NOT_VISIBLE"
    advice = "Wait for it ('wait visible …') or open what hides it."


class ElementDisabled(TargetError):
    """The element is disabled or read-only."""

    code = "ELEMENT_DISABLED"
    advice = "Wait for it ('wait enabled …') or fill in what it asks for first."


class ElementNotInteractable(TargetError):
    """Another element covers it."""

    code = "ELEMENT_NOT_INTERACTABLE"
    advice = "Close what covers it, or use --force."


class InvalidElementType(TargetError):
    """The command does not work on an element, or a value, of this kind."""

    code = "INVALID_ELEMENT_TYPE"
    advice = "Choose an element, or a value, of the kind that the command is for."


class OptionNotFound(TargetError):
    """The select has no such option."""

    code = "OPTION_NOT_FOUND"
    advice = "Run 'observe' to see its options."


class SelectorInvalid(TargetError):
    """The CSS selector or the XPath has a syntax error."""

    code = "SELECTOR_INVALID"
    advice = "Check the selector's brackets and quotes."


class Ambiguous(TargetError):
    """Several elements match equally well, and `strict` was requested."""

    code = "AMBIGUOUS"


class FrameNotFound(TargetError):
    """The element is not a frame, or the frame no longer exists."""

    code = "FRAME_NOT_FOUND"
    advice = "Run 'frames' to see the frames."
