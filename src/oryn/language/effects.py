"""What commands do to pages, to sites and to the session, in kinds: each command of the table declares its own.

A limit that names a command (`--confirm click`) is about its kind of effect: `tap`, `submit` and `type … --enter` press
as `click` does. The kinds also say which commands a read-only session runs (docs/policy.md)."""

from __future__ import annotations

from typing import Literal, get_args

Effect = Literal[
    "press",  # presses something, by mouse, finger, key or script: it may send a form, order, delete
    "fill",  # changes what a field holds
    "focus",  # moves the keyboard focus
    "upload",  # passes files of this computer to a page
    "accept",  # answers a dialog of the page with OK
    "cancel",  # answers a dialog of the page with Cancel
    "navigate",  # opens a URL of the caller's choice
    "script",  # runs JavaScript of the caller's choice
    "tool",  # calls a tool of the page or of a plugin
    "cookies",  # changes cookies
    "storage",  # changes web storage
    "request",  # changes what requests carry, or what answers them
    "clipboard",  # changes the clipboard
    "captcha",  # has a captcha solved
    "sign_in",  # ends or begins a person's log-in in a window
    "close",  # ends sessions
    "confirm",  # answers for a person
    "intents",  # changes intents that outlive the session
    "index",  # deletes what research has stored
]
"""A kind of effect."""

SAFE: frozenset[Effect] = frozenset({"navigate", "cancel"})
"""Effects that change nothing at a site, nor what the session stores or sends: a read-only session may have them."""

# The first effect of a command is what it is for, the others come with it.
PRESS: tuple[Effect, ...] = ("press",)
FILL: tuple[Effect, ...] = ("fill",)
PRESS_AND_FILL: tuple[Effect, ...] = ("press", "fill")

SCRIPT: tuple[Effect, ...] = (
    "script",
    "press",
    "fill",
    "focus",
    "accept",
    "navigate",
    "cookies",
    "storage",
    "request",
    "clipboard",
)
"""A script of the caller's can do whatever the page's own can."""
TOOL: tuple[Effect, ...] = ("tool", "press", "fill")
"""A tool of the page is the page's own code: it does what the page's controls do."""
EVERY: tuple[Effect, ...] = get_args(Effect)
"""The effects of a command that declares none: it is assumed to do anything."""


def is_safe(effects: tuple[Effect, ...]) -> bool:
    """Return whether a read-only session may have all of these effects."""
    return SAFE.issuperset(effects)
