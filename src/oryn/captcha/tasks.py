"""What captchas are called at the services that solve them. Pure.

https://2captcha.com/api-docs, https://anti-captcha.com/apidoc, https://docs.capsolver.com: one protocol, `createTask`
and `getTaskResult`, and nearly one list of tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from oryn.engine.captchas import Captcha
from oryn.errors import NotSupported

ADDRESSES: Mapping[str, str] = {
    "2captcha": "https://api.2captcha.com",
    "anticaptcha": "https://api.anti-captcha.com",
    "capsolver": "https://api.capsolver.com",
}

_TASKS: Mapping[str, str] = {
    "recaptcha v2": "RecaptchaV2TaskProxyless",
    "recaptcha v2 enterprise": "RecaptchaV2EnterpriseTaskProxyless",
    "hcaptcha": "HCaptchaTaskProxyless",
    "turnstile": "TurnstileTaskProxyless",
    "funcaptcha": "FunCaptchaTaskProxyless",
    "friendly captcha": "FriendlyCaptchaTaskProxyless",
}
_OF_CAPSOLVER: Mapping[str, str] = {
    "recaptcha v2": "ReCaptchaV2TaskProxyLess",
    "recaptcha v2 enterprise": "ReCaptchaV2EnterpriseTaskProxyLess",
    "hcaptcha": "HCaptchaTaskProxyLess",
    "turnstile": "AntiTurnstileTaskProxyLess",
    "funcaptcha": "FunCaptchaTaskProxyLess",
}


def address_of(service: str) -> str:
    """Where a service is: one of the known ones, or the address of another with their protocol."""
    return ADDRESSES.get(service, service.rstrip("/"))


def name_of(service: str) -> str:
    """What answers call it."""
    return service if service in ADDRESSES else urlsplit(service).netloc.rpartition("@")[2]


def task(service: str, captcha: Captcha, url: str) -> dict[str, Any]:
    """The task that a captcha on the page at `url` is. Raises `NotSupported`."""
    kind = " ".join(filter(None, (captcha.kind, captcha.version, "enterprise" if captcha.enterprise else "")))
    type_ = (_OF_CAPSOLVER if service == "capsolver" else _TASKS).get(kind)
    if type_ is None:
        raise NotSupported(
            f"{captcha.name} can't be solved by {name_of(service)}",
            "A person can solve it: 'login' opens the page in a window.",
        )
    if captcha.sitekey is None:
        raise NotSupported(
            f"the page does not tell the site key of {captcha.name}, without which nobody can solve it",
            "It may not have loaded yet: run 'captcha' again, or let a person solve it: 'login'.",
        )
    key = "websitePublicKey" if captcha.kind == "funcaptcha" else "websiteKey"
    invisible = {"isInvisible": True} if captcha.invisible else {}
    return {"type": type_, "websiteURL": url, key: captcha.sitekey, **invisible}
