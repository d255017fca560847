"""`WebKitFeatures`: creates the features of one session and attaches them to the tabs that are open."""

from __future__ import annotations

from oryn.browsers.common.target_feature import SessionFeatures
from oryn.browsers.webkit.session import WebKitSession


class WebKitFeatures(SessionFeatures[WebKitSession]):
    """The features of one session, which exist as long as its `WebKitBrowser`."""
