"""Who the browser says it is: the user agent, the client hints that agree with it, the languages. Pure.

https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setUserAgentOverride
"""

from __future__ import annotations

import re
from typing import Any

_CHROMIUM = re.compile(r"\bChrome/")
_SYSTEMS: tuple[tuple[str, str, str], ...] = (
    # what the user agent has, what `Sec-CH-UA-Platform` and `navigator.platform` then say
    (r"Android ([\d.]+)", "Android", "Linux armv81"),
    (r"Windows NT ([\d.]+)", "Windows", "Win32"),
    (r"CrOS \S+ ([\d.]+)", "Chrome OS", "Linux x86_64"),
    (r"Mac OS X ([\d_.]+)\)", "macOS", "MacIntel"),
    (r"Linux()", "Linux", "Linux x86_64"),
)
_APPLE = re.compile(r"\((iPhone|iPad);")
_MODEL = re.compile(r"Android [\d.]+; ([^;)]+(?:\([^)]*\))?)")


def override(user_agent: str, locale: str | None) -> dict[str, Any]:
    """The parameters of the override; an empty `user_agent` is the browser's own."""
    params: dict[str, Any] = {"userAgent": user_agent}
    if locale is not None:
        params["acceptLanguage"] = languages(locale)
    if apple := _APPLE.search(user_agent):
        params["platform"] = apple[1]
    elif user_agent:
        params |= _hints(user_agent)
    return params


def languages(locale: str) -> str:
    """A preferred language, then the same without its region: `de-DE,de`."""
    parts = locale.replace("_", "-").split("-")
    return ",".join(dict.fromkeys(("-".join(parts), parts[0])))


def _hints(user_agent: str) -> dict[str, Any]:
    """What else the browser says; what is no Chromium sends no client hints (https://wicg.github.io/ua-client-hints/).

    The brands are left out: the browser fills in its own."""
    system, version, platform = _system(user_agent)
    if not platform:
        return {}
    if not _CHROMIUM.search(user_agent):
        return {"platform": platform}
    model = _MODEL.search(user_agent)
    metadata = {
        "platform": system,
        "platformVersion": version,
        "architecture": "" if system == "Android" else "x86",
        "model": model[1].partition(" Build/")[0] if model else "",
        "mobile": "Mobile" in user_agent,
    }
    return {"platform": platform, "userAgentMetadata": metadata}


def _system(user_agent: str) -> tuple[str, str, str]:
    """The operating system, its version, and `navigator.platform`; empty where they can't be told."""
    for pattern, system, platform in _SYSTEMS:
        if found := re.search(pattern, user_agent):
            return system, found[1].replace("_", "."), platform
    return "", "", ""


def fitted(user_agent: str, product: str) -> str:
    """The user agent of a list with the browser's version in it, reduced as Chromium reduces its own.

    `product` is `Chrome/156.0.8078.79`; https://www.chromium.org/updates/ua-reduction/"""
    major = product.rpartition("/")[2].partition(".")[0]
    return user_agent.replace("{chrome}", f"{major}.0.0.0")
