"""Captchas: found by what their own documentation has pages hold, and solved by the user's service, if there is one.

Frames have the widgets' true addresses, which rules of `intercept` answer: nothing is asked of anybody."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from oryn.captcha import CaptchaServiceSolver, create_solver
from oryn.captcha.solver import ADDRESSES, task_for
from oryn.core.vault_secret import SecretRequest, VaultSecret
from oryn.engine.page.captcha import PageCaptcha
from oryn.errors import CaptchaError, NotSupported, SecretNotAllowed, SecretNotFound, Timeout
from oryn.settings import SETTINGS
from oryn.settings.types import CAPTCHA_SERVICE, CAPTCHA_SERVICES
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

KEY = "6Lc_aCQUAAAAAB1234567890abcdefghij"
ARKOSE = "A2A14B1D-1AF3-C791-9BBC-EE33CC7A0A6F"


class FakeService:
    """A service that says what a test has it say, and keeps what it was asked."""

    def __init__(self) -> None:
        self.pages = Pages()
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.answers: list[Any] = []
        for method in ("createTask", "getTaskResult"):
            self.pages[f"/{method}"] = self._answer

    def _answer(self, request: BaseHTTPRequestHandler) -> Any:
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        self.requests.append((request.path.strip("/"), body))
        answer = self.answers.pop(0)
        return answer if isinstance(answer, tuple) else (200, {}, json.dumps(answer))

    @property
    def address(self) -> str:
        return self.pages.url("").rstrip("/")

    def says(self, *answers: Any) -> None:
        self.requests.clear()
        self.answers[:] = answers


@pytest.fixture(scope="module")
def service() -> Iterator[FakeService]:
    service = FakeService()
    yield service
    service.pages.server.shutdown()
    service.pages.server.server_close()


@pytest.fixture(scope="module")
def shared(service: FakeService, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    environment = {"ORYN_CAPTCHA_SERVICE": service.address, "ORYN_CAPTCHA_KEY": "k-1234567890"}
    daemon = RunningDaemon(tmp_path_factory.mktemp("captcha"), environment)
    yield daemon
    assert run(daemon.stop()) == 0, daemon.log()


class CaptchaSession:
    """One session, in which the hosts of the widgets are played by rules."""

    HOSTS = ("google.com", "hcaptcha.com", "cloudflare.com", "arkoselabs.com", "geetest.com", "captcha-delivery.com")

    def __init__(self, daemon: RunningDaemon, pages: Pages) -> None:
        self.daemon = daemon
        self.pages = pages

    async def prepare(self, folder: Path) -> None:
        (folder / "widget.html").write_text("<!doctype html><p>widget")
        for host in self.HOSTS:
            await self.daemon.ok(f'intercept "https://*.{host}/*" --respond-file {folder}/widget.html')

    async def show(self, html: str) -> None:
        self.pages["/"] = f"<!doctype html>{html}"
        await self.daemon.ok(f"goto {self.pages.url()}")

    async def found(self, html: str) -> str:
        """What `captcha` answers of a page, without its head."""
        await self.show(html)
        return str((await self.daemon.ok({"argv": ["captcha"]}))["text"]).removeprefix("ok captcha\n\n")


@pytest.fixture
def captcha_session(shared: RunningDaemon, pages: Pages, run: Any, tmp_path: Path) -> CaptchaSession:
    captcha_session = CaptchaSession(shared, pages)
    run(captcha_session.prepare(tmp_path))
    return captcha_session


FRAME = "width=300 height=80"


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<h1>Shop</h1><form><input name=q></form>", "no captcha that is known here"),
        (
            f'<div class=g-recaptcha data-sitekey={KEY}><iframe {FRAME} src="https://www.google.com/recaptcha/api2/'
            f'anchor?ar=1&k={KEY}&size=normal"></iframe><textarea name=g-recaptcha-response hidden></textarea></div>',
            f'[1] recaptcha v2, not solved, sitekey "{KEY}"',
        ),
        (
            f'<iframe {FRAME} src="https://www.google.com/recaptcha/enterprise/anchor?k={KEY}&size=invisible"></iframe>'
            "<textarea name=g-recaptcha-response hidden>03AF</textarea>",
            f'[1] recaptcha v2 enterprise invisible, solved, sitekey "{KEY}"',
        ),
        (
            f'<script src="https://www.google.com/recaptcha/api.js?render={KEY}"></script>'
            f'<iframe hidden src="https://www.google.com/recaptcha/api2/anchor?k={KEY}&size=invisible"></iframe>',
            f'recaptcha v3 invisible, not solved, sitekey "{KEY}"',
        ),
        (
            '<div class=h-captcha data-sitekey=10000000-ffff><iframe width=300 height=80 src="https://newassets.hcaptcha'
            '.com/captcha/v1/x/static/hcaptcha.html#frame=checkbox&sitekey=10000000-ffff"></iframe></div>'
            "<textarea name=h-captcha-response hidden></textarea>",
            '[1] hcaptcha, not solved, sitekey "10000000-ffff"',
        ),
        (
            "<div class=cf-turnstile data-sitekey=1x00000000000000000000AA style='width:300px;height:65px'>"
            "<input type=hidden name=cf-turnstile-response value=XXXX.DUMMY></div>",
            '[1] turnstile, solved, sitekey "1x00000000000000000000AA"',
        ),
        (
            f'<iframe {FRAME} src="https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/'
            'av0/rcv/x/0x4AAAAAAADnPIDROrmt1Wwj/light/normal/auto/"></iframe>',
            '[1] turnstile, not solved, sitekey "0x4AAAAAAADnPIDROrmt1Wwj"',
        ),
        (
            "<title>Just a moment...</title><form id=challenge-form style='width:300px;height:65px'></form>"
            "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'></script>",
            "[1] cloudflare challenge",
        ),
        # Every site behind Cloudflare may have this one: it asks nobody anything.
        ("<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>", "no captcha that is known here"),
        (
            f'<iframe {FRAME} src="https://client-api.arkoselabs.com/fc/gc/?token=1&pk={ARKOSE}"></iframe>'
            "<input type=hidden name=fc-token value='1|pk=x'>",
            f'[1] funcaptcha, sitekey "{ARKOSE}"',
        ),
        (
            "<div class=geetest_holder style='width:300px;height:65px'></div>"
            '<script src="https://api.geetest.com/get.php?gt=022397c99c9f646f6477822485f30404&challenge=1"></script>',
            '[1] geetest, not solved, sitekey "022397c99c9f646f6477822485f30404"',
        ),
        ("<awswaf-captcha style='display:block;width:300px;height:65px'></awswaf-captcha>", "[1] aws waf"),
        (
            f'<iframe {FRAME} src="https://geo.captcha-delivery.com/captcha/?initialCid=1&t=fe"></iframe>',
            "[1] datadome",
        ),
        (
            "<div class=frc-captcha data-sitekey=FCMG style='width:300px;height:65px'>"
            "<input type=hidden name=frc-captcha-solution value=.UNSTARTED></div>",
            '[1] friendly captcha, not solved, sitekey "FCMG"',
        ),
        ("<div id=px-captcha style='width:300px;height:65px'></div>", "[1] perimeterx"),
        (
            "<form><img src=/captcha.png width=100 height=40><input name=captcha_code></form>",
            "[2] picture, not solved, typed into [1]",
        ),
        (
            f'<form><div class=g-recaptcha data-sitekey={KEY} style="height:70px"></div></form>'
            '<div class=h-captcha data-sitekey=two style="height:70px"></div>',
            f'[1] recaptcha v2, not solved, sitekey "{KEY}"\n[2] hcaptcha, not solved, sitekey "two"',
        ),
        (
            "<div class=h-captcha data-sitekey='a&quot;\n# note\nb' style='height:70px'></div>",
            '[1] hcaptcha, not solved, sitekey "a\\"\\n# note\\nb"',
        ),
    ],
)
async def test_captcha_on_page_is_detected(captcha_session: CaptchaSession, html: str, line: str) -> None:
    assert await captcha_session.found(html) == line


async def test_a_widget_in_a_frame_of_another_site(captcha_session: CaptchaSession) -> None:
    captcha_session.pages["/inner"] = (
        f"<div class=g-recaptcha data-sitekey={KEY} style='width:300px;height:70px'></div>"
    )
    inner = captcha_session.pages.url("/inner", "localhost")
    await captcha_session.show(f"<p>outer<iframe src={inner} width=400 height=200></iframe>")
    answer = await captcha_session.daemon.ok({"action": "captcha"})
    (found,) = answer["data"]["result"]["captchas"]
    assert found["frame"] == inner and found["sitekey"] == KEY
    box = found["box"]
    assert (box["width"], box["height"]) == (300, 70)
    # What it is told as can be used.
    await captcha_session.daemon.ok(f"hover {found['id']}")


# --- solving ---

CALLED = "<p id=place></p><script>done = token => { place.innerHTML = `<button>Send ${token}</button>` }</script>"
WIDGET = (
    f"{CALLED}<form><div class=g-recaptcha data-sitekey={KEY} data-callback=done style='height:70px'>"
    "<textarea name=g-recaptcha-response hidden></textarea></div></form>"
)
READY = {"errorId": 0, "status": "ready", "solution": {"gRecaptchaResponse": "03AFtoken"}}


@pytest.mark.slow
async def test_the_answer_of_the_service_goes_into_the_page(
    captcha_session: CaptchaSession, service: FakeService
) -> None:
    service.says({"errorId": 0, "taskId": 77}, {"errorId": 0, "status": "processing"}, READY)
    captcha_session.pages["/"] = WIDGET
    await captcha_session.daemon.ok(f"goto {captcha_session.pages.url('/?user=ada#top')}")
    answer = await captcha_session.daemon.ok({"argv": ["captcha", "solve"]})
    assert answer["text"] == (
        "ok captcha solve\n\nrecaptcha v2 answered\n\n"
        "# note\nthe answer went into 1 field and 1 callback; whether it is right, the site will say\n\n"
        '# changes\n+ [2] button "Send 03AFtoken"'
    )
    # The site's key and the page's address, and nothing else of the page or its user.
    url = captcha_session.pages.url("/")
    asked = {"type": "RecaptchaV2TaskProxyless", "websiteURL": url, "websiteKey": KEY}
    assert service.requests == [
        ("createTask", {"clientKey": "k-1234567890", "task": asked}),
        ("getTaskResult", {"clientKey": "k-1234567890", "taskId": 77}),
        ("getTaskResult", {"clientKey": "k-1234567890", "taskId": 77}),
    ]
    script = "eval \"document.querySelector('[name=g-recaptcha-response]').value\""
    assert (await captcha_session.daemon.ok(script))["data"]["result"] == "03AFtoken"
    again = await captcha_session.daemon.ask({"action": "captcha", "args": {"action": "solve"}})
    assert again["error_kind"] == "captcha_not_solved"
    assert again["error"] == "recaptcha v2 is solved already"


async def test_a_callback_that_only_recaptcha_knows(captcha_session: CaptchaSession, service: FakeService) -> None:
    service.says({"errorId": 0, **READY})
    await captcha_session.show(
        f"{CALLED}<iframe {FRAME} src='https://www.google.com/recaptcha/api2/anchor?k={KEY}'></iframe>"
        f"<script>___grecaptcha_cfg = {{clients: {{0: {{a: {{b: {{sitekey: '{KEY}', callback: done}}}}}}}}}}</script>"
    )
    answer = await captcha_session.daemon.ok({"argv": ["captcha", "solve"]})
    assert 'button "Send 03AFtoken"' in answer["text"]
    assert answer["data"]["result"]["callbacks"] == 1


async def test_a_page_that_takes_no_answer(captcha_session: CaptchaSession, service: FakeService) -> None:
    service.says(READY)
    await captcha_session.show(f"<iframe {FRAME} src='https://www.google.com/recaptcha/api2/anchor?k={KEY}'></iframe>")
    answer = await captcha_session.daemon.ask({"argv": ["captcha", "solve"]})
    assert answer["error"] == "the page has neither a field nor a callback for the answer of recaptcha v2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("says", "message"),
    [
        ({"errorId": 1, "errorCode": "ERROR_ZERO_BALANCE"}, "refused: its account has no credit left"),
        ({"errorId": 1, "errorCode": "ERROR_KEY_DOES_NOT_EXIST"}, "refused: it does not know the key (captcha_key)"),
        (
            {"errorId": 9, "errorCode": "ERROR_NEW", "errorDescription": "key k-1234567890\nis old"},
            'refused: "key ••••\\nis old"',
        ),
        ({"errorId": 0}, "did not say which task is ours"),
        ({"errorId": 0, "status": "ready", "solution": {}}, "gave no answer"),
        ((200, {}, "<html>"), "answered something else than JSON"),
        ((200, {}, "[]"), "answered something else than an object"),
        ((503, {}, "busy"), "answered HTTP 503"),
        ((302, {"Location": "http://127.0.0.1:1/elsewhere"}, ""), "answered HTTP 302"),
    ],
)
async def test_what_a_service_may_refuse(
    captcha_session: CaptchaSession, service: FakeService, says: Any, message: str
) -> None:
    service.says(says)
    await captcha_session.show(WIDGET)
    answer = await captcha_session.daemon.ask({"argv": ["captcha", "solve"]})
    assert answer["error_kind"] == "captcha_not_solved"
    assert answer["error"] == f"{service.address.removeprefix('http://')} {message}"


@pytest.mark.slow
async def test_service_key_is_not_in_answers_history_or_log(
    captcha_session: CaptchaSession, service: FakeService
) -> None:
    service.says({"errorId": 9, "errorDescription": "key k-1234567890 is unknown"})
    await captcha_session.show(WIDGET)
    answer = await captcha_session.daemon.ask({"argv": ["captcha", "solve"]})
    assert "k-1234567890" not in json.dumps(answer)
    assert "k-1234567890" not in json.dumps(captcha_session.daemon.rows()) + captcha_session.daemon.log()


async def test_no_captcha_and_one_that_no_service_solves(captcha_session: CaptchaSession, service: FakeService) -> None:
    service.says()
    await captcha_session.show("<p>nothing")
    answer = await captcha_session.daemon.ask({"argv": ["captcha", "solve"]})
    assert answer["error"] == "the page has no captcha that is known here"
    await captcha_session.show("<awswaf-captcha style='display:block;width:300px;height:65px'></awswaf-captcha>")
    answer = await captcha_session.daemon.ask({"argv": ["captcha", "solve"]})
    assert answer["error_kind"] == "not_supported"
    assert answer["error"].startswith("aws waf can't be solved by 127.0.0.1:")
    assert not service.requests


@pytest.mark.slow
async def test_captcha_solve_times_out(captcha_session: CaptchaSession, service: FakeService) -> None:
    service.says({"errorId": 0, "taskId": "a-b"}, *[{"errorId": 0, "status": "processing"}] * 9)
    await captcha_session.show(WIDGET)
    answer = await captcha_session.daemon.ask({"argv": ["captcha", "solve", "--timeout", "1s"]})
    assert answer["error_kind"] == "timeout"
    assert "has not solved it within" in answer["error"]


@pytest.mark.slow
async def test_without_a_service(daemon_of: Callable[..., RunningDaemon], pages: Pages) -> None:
    daemon = daemon_of()
    pages["/"] = WIDGET
    await daemon.ok(f"goto {pages.url()}")
    answer = await daemon.ask({"argv": ["captcha", "solve"]})
    assert answer["error_kind"] == "captcha_not_configured"
    assert "captcha_service and captcha_key" in answer["hint"] and "many sites forbid it" in answer["hint"]
    for name in ("captcha_service", "captcha_key"):
        answer = await daemon.ask("url", session="other", settings={name: "2captcha"})
        assert answer["error_kind"] == "invalid_setting"
        assert answer["error"] == f"{name} is fixed by the host"


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ({"argv": ["captcha", "guess"]}, "unexpected_input"),
        ({"action": "captcha", "args": {"action": "guess"}}, "invalid_value"),
        ({"action": "captcha", "args": {"sitekey": "x"}}, "unexpected_input"),
    ],
)
async def test_bad_input(captcha_session: CaptchaSession, request_: dict[str, Any], kind: str) -> None:
    assert (await captcha_session.daemon.ask(request_))["error_kind"] == kind


# --- the settings ---


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2Captcha", "2captcha"),
        ("https://solver.example/api/", "https://solver.example/api"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ],
)
def test_a_service_of_the_settings(given: str, kept: str) -> None:
    assert CAPTCHA_SERVICE.read(given) == kept


@pytest.mark.parametrize(
    "given",
    ["", "solver", "http://solver.example", "https://u:p@solver.example", "https://a.example/?key=1", "ftp://a", 5],
)
def test_no_service(given: object) -> None:
    with pytest.raises(ValueError):
        CAPTCHA_SERVICE.read(given)


def test_a_key_is_not_shown() -> None:
    setting = SETTINGS["captcha_key"]
    assert setting.show("k-1234567890") == "••••"
    assert setting.show("{{vault:2captcha.key}}") == "{{vault:2captcha.key}}"
    assert setting.show(None) == "-"


# --- the services ---


def test_the_names_of_the_services() -> None:
    assert set(CAPTCHA_SERVICES) == set(ADDRESSES)


@pytest.mark.parametrize(
    ("service", "captcha", "type_"),
    [
        ("2captcha", PageCaptcha("recaptcha", "k", version="v2"), "RecaptchaV2TaskProxyless"),
        (
            "anticaptcha",
            PageCaptcha("recaptcha", "k", version="v2", enterprise=True),
            "RecaptchaV2EnterpriseTaskProxyless",
        ),
        ("capsolver", PageCaptcha("recaptcha", "k", version="v2"), "ReCaptchaV2TaskProxyLess"),
        ("capsolver", PageCaptcha("turnstile", "k"), "AntiTurnstileTaskProxyLess"),
        ("2captcha", PageCaptcha("hcaptcha", "k"), "HCaptchaTaskProxyless"),
        ("2captcha", PageCaptcha("friendly captcha", "k"), "FriendlyCaptchaTaskProxyless"),
    ],
)
def test_tasks(service: str, captcha: PageCaptcha, type_: str) -> None:
    wanted = {"type": type_, "websiteURL": "https://a.example/", "websiteKey": "k"}
    assert task_for(service, captcha, "https://a.example/") == wanted


def test_tasks_with_something_of_their_own() -> None:
    assert task_for("2captcha", PageCaptcha("funcaptcha", "k"), "u")["websitePublicKey"] == "k"
    assert task_for("2captcha", PageCaptcha("recaptcha", "k", version="v2", invisible=True), "u")["isInvisible"] is True


@pytest.mark.parametrize(
    "captcha", [PageCaptcha("recaptcha", "k", version="v3"), PageCaptcha("picture"), PageCaptcha("hcaptcha")]
)
def test_unsupported_captcha_has_no_service_task(captcha: PageCaptcha) -> None:
    with pytest.raises(NotSupported):
        task_for("2captcha", captcha, "u")


class OneSecret:
    """A vault with one value, which may go to one service."""

    async def secret(self, name: str, request: SecretRequest | None = None) -> VaultSecret:
        if name != "solver.password":
            raise SecretNotFound(f"{name} is not there")
        return VaultSecret(name, "from-the-vault", ("https://api.2captcha.com",))

    async def values_to_mask(self, name: str) -> tuple[VaultSecret, ...]:
        return (await self.secret(name),)


async def test_the_key_may_be_in_the_vault(service: FakeService) -> None:
    captcha = PageCaptcha("hcaptcha", "k")
    with pytest.raises(SecretNotAllowed, match=r"not for the service at http://127\.0\.0\.1"):
        await create_solver(service.address, "{{vault:solver}}", OneSecret()).solve(captcha, "u", timeout=5)
    with pytest.raises(SecretNotFound):
        await create_solver("2captcha", "{{vault:none}}", OneSecret()).solve(captcha, "u", timeout=5)


async def test_a_service_that_is_not_there() -> None:
    async def key() -> str:
        return "k"

    with pytest.raises(CaptchaError, match=r"^127\.0\.0\.1:1 can't be reached: "):
        await CaptchaServiceSolver("http://127.0.0.1:1", key).solve(PageCaptcha("hcaptcha", "k"), "u", timeout=5)


async def test_a_service_that_never_is_done(service: FakeService) -> None:
    async def key() -> str:
        return "k"

    service.says({"errorId": 0, "taskId": 1}, *[{"errorId": 0, "status": "processing"}] * 1000)
    with pytest.raises(Timeout, match=r"has not solved it within 0\.3 s"):
        await CaptchaServiceSolver(service.address, key, pause=0.05).solve(
            PageCaptcha("hcaptcha", "k"), "u", timeout=0.3
        )
