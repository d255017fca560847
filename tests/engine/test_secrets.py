"""Values of the vault as pages, URLs and logs may show them, and where they may go."""

from __future__ import annotations

import base64
import html
import json
import random
import time
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.browsers.base import Browser
from oryn.core.text_safety import location, plain, quoted, shortened
from oryn.core.urls import origin_of
from oryn.core.vault_secret import SecretRequest, VaultSecret
from oryn.engine.deadline import CommandDeadline
from oryn.engine.output.answer import Answer, Observation
from oryn.engine.output.changes import PageChange
from oryn.engine.secrets.masking import MaskedValue, SecretMasker
from oryn.engine.secrets.session_secrets import SessionSecrets, check_references, mask_answer
from oryn.errors import ElementNotFound, SecretNotAllowed
from oryn.language import MASK, parse

HARD = "p\"ä ss/w\\örd+1&é<\n>'😀"


def twice(encode: Any) -> Any:
    return lambda text: encode(encode(text))


def coded(before: str, after: str = "", encode: Any = base64.b64encode) -> Any:
    return lambda text: encode(f"{before}{text}{after}".encode()).decode()


def units(text: str) -> list[int]:
    data = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2)]


FORMS = {
    "itself": str,
    "capitals": str.upper,
    "JSON": json.dumps,
    "JSON in JSON": twice(json.dumps),
    "JSON in Unicode": lambda text: json.dumps(text, ensure_ascii=False),
    "percent": lambda text: quote(text, safe=""),
    "a path": quote,
    "a form": lambda text: urlencode({"p": text}),
    "percent twice": twice(lambda text: quote(text, safe="")),
    "plus": quote_plus,
    "HTML": html.escape,
    "HTML's text": lambda text: html.escape(text, quote=False),
    "numbers in HTML": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "hexadecimal in HTML": lambda text: "".join(f"&#x{ord(each):X};" for each in text),
    "HTML twice": twice(html.escape),
    "JavaScript": lambda text: "".join(f"\\u{{{ord(each):x}}}" for each in text),
    "every byte": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "an answer": quoted,
    "base64": coded(""),
    "a login": coded("ann:"),
    "a login, one more": coded("anna:"),
    "base64, something behind": coded("x", "yz"),
    "base64 for URLs": coded("??>", "??>", base64.urlsafe_b64encode),
    "hexadecimal": lambda text: text.encode().hex(),
    "JavaScript's four digits": lambda text: "".join(f"\\u{unit:04x}" for unit in units(text)),
    "JavaScript's capitals": lambda text: "".join(f"\\u{unit:04X}" for unit in units(text)),
    "escape()": lambda text: "".join(
        c if c in "@*_+-./" or (c.isascii() and c.isalnum()) else f"%{u:02X}" if u < 256 else f"%u{u:04X}"
        for u in units(text)
        for c in [chr(u)]
    ),
    "octal": lambda text: "".join(f"\\{ord(c):03o}" if ord(c) < 256 else c for c in text),
    "base64 twice": twice(coded("")),
    "hexadecimal in base64": lambda text: coded("")(text.encode().hex()),
    "base64 in hexadecimal": lambda text: coded("")(text).encode().hex(),
    "hexadecimal twice": lambda text: text.encode().hex().encode().hex(),
    "hexadecimal twice, capitals": lambda text: text.encode().hex().upper().encode().hex().upper(),
    "base32": coded("", encode=base64.b32encode),
    "UTF-16 in base64": lambda text: base64.b64encode(f"p {text}".encode("utf-16-le")).decode(),
    "UTF-16 in hexadecimal": lambda text: text.encode("utf-16-be").hex(),
    "percent in base64": lambda text: coded("")(quote(text, safe="")),
    "JSON in base64": lambda text: coded("")(json.dumps({"p": text})),
    "a login in base64, twice": lambda text: coded("")(coded("anna:")(text)),
}

COMPANY = (
    "a login",
    "a login, one more",
    "base64, something behind",
    "base64 for URLs",
    "a login in base64, twice",
    "JSON in base64",
)
"""Base64 of a value and something else."""


EVERY_LETTER = (
    "JavaScript's four digits",
    "JavaScript's capitals",
    "octal",
    "numbers in HTML",
    "hexadecimal in HTML",
    "JavaScript",
    "every byte",
)
LONG = "x" * 300 + "/ö"
CASES = [
    (form, value)
    for form in FORMS
    for value in ("hunter22", HARD, "1234", LONG)
    # Base64 of four characters among others has too few of its own; nobody escapes every letter of a long value.
    if not (value == "1234" and form in COMPANY) and not (value == LONG and form in EVERY_LETTER)
]


@pytest.mark.parametrize(("form", "value"), CASES)
def test_forms(form: str, value: str) -> None:
    masked = SecretMasker([MaskedValue(value)]).mask(f"before {FORMS[form](value)} after")
    assert masked.startswith("before ") and masked.endswith(" after")
    assert MASK in masked
    left = masked.removeprefix("before ").removesuffix(" after").replace(MASK, "").strip('"\\p=| \n')
    assert left == "", masked


@pytest.mark.slow
@given(st.text(min_size=4, max_size=20).filter(str.strip), st.sampled_from(sorted(set(FORMS) - {"capitals"})))
def test_no_form_of_any_value_stays(value: str, form: str) -> None:
    if form in COMPANY and len(value.encode("utf-8", "replace")) < 9:
        return
    try:
        shown = FORMS[form](value)
    except UnicodeEncodeError:  # a lone surrogate, which no page can send
        return
    assert MASK in SecretMasker([MaskedValue(value)]).mask(f"<{shown}>")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("hunter22hunter22", f"{MASK}{MASK}"),
        ("xhunter22y", f"x{MASK}y"),
        ("hunter2", MASK),
        ("the hunt… goes on…", f"the {MASK}… goes on…"),
        ("https://a.example/?p=hunte...", f"https://a.example/?p={MASK}..."),
        ("hu…", "hu…"),
        ("{{vault:hunter22.x}} hunter22", f"{{{{vault:hunter22.x}}}} {MASK}"),
    ],
)
def test_beside_others(text: str, masked: str) -> None:
    assert SecretMasker([MaskedValue("hunter22")]).mask(text) == masked


@pytest.mark.parametrize("length", range(4, 15))
@pytest.mark.parametrize(
    "encode",
    [
        str, json.dumps, lambda text: quote(text, safe=""), twice(lambda text: quote(text, safe="")), quote_plus,
        lambda text: json.dumps({"typed": text}), lambda text: "\n" + text, lambda text: f"v%3D{quote(text, safe='')}%26x",
        FORMS["JavaScript's four digits"], FORMS["escape()"], FORMS["numbers in HTML"], html.escape,
        coded(""), coded("u="), coded("us="), coded("", "&x"), coded("??>", encode=base64.urlsafe_b64encode),
        FORMS["hexadecimal"],
    ],
)  # fmt: skip
def test_beginnings_from_four_characters_on(encode: Any, length: int) -> None:
    """What a page that listens to each key would log or send, one by one."""
    value = "hunter-22/ö é!"
    shown = f"typed {encode(value[:length])} now"
    masked = SecretMasker([MaskedValue(value)]).mask(shown)
    assert MASK in masked
    assert "hunt" not in masked.lower()
    assert encode(value[:4]).strip('=" ') not in masked


def test_beginnings_that_are_parts_of_words_or_too_short() -> None:
    found = SecretMasker([MaskedValue("summer-2026")])
    for text in ("sum", "summers", "midsummer", "a summery day", "Summer", "c3VtbWVyeQ==x"):
        assert found.mask(text) == text or text.startswith("c3"), text
    assert found.mask("summer summer- x=summe") == f"{MASK} {MASK} x={MASK}"


def test_words_that_a_page_shows_stay() -> None:
    found = SecretMasker([MaskedValue("summer-2026")])
    assert (
        found.mask("Plants for summer, summer-2 and summer-2026", displayed=True)
        == f"Plants for summer, {MASK} and {MASK}"
    )
    assert found.mask("%73ummer", displayed=True) == MASK  # nobody writes a word so


def test_a_users_name_has_no_beginnings() -> None:
    assert SecretMasker([MaskedValue("annabel", word=True)]).mask("anna annab") == "anna annab"


@pytest.mark.parametrize("name", ["p_ss_w_rd_.txt", "report-p_ss_w_rd_ (1).txt"])
def test_names_of_files_as_browsers_write_them(name: str) -> None:
    masked = SecretMasker([MaskedValue('p/ss"w<rd>')]).mask(name)
    assert masked == name.replace("p_ss_w_rd_", MASK)


def test_longer_of_two_overlapping_secrets_is_masked() -> None:
    assert (
        SecretMasker([MaskedValue("1234"), MaskedValue("12345678")]).mask("12345678 1234 123") == f"{MASK} {MASK} 123"
    )


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Ann, annual, Joann, an ann.", f"{MASK}, annual, Joann, an {MASK}."),
        ("?user%3Dann&x", f"?user%3D{MASK}&x"),
        (r'"Hello\nann"', rf'"Hello\n{MASK}"'),
        ("Susann…", "Susann…"),
    ],
)
def test_a_users_name_goes_where_it_is_a_word(text: str, masked: str) -> None:
    assert SecretMasker([MaskedValue("ann", word=True)]).mask(text) == masked


def test_white_space_is_as_the_page_likes_it() -> None:
    found = SecretMasker([MaskedValue("correct  horse")])
    for shown in (
        "correct horse",
        "correct\n\u00a0 horse",
        "correct+horse",
        "correct%20%20horse",
        "correct&nbsp;horse",
    ):
        assert found.mask(f"a {shown} b") == f"a {MASK} b"


@pytest.mark.slow
def test_a_large_page_is_looked_through_at_once() -> None:
    import time

    masker = SecretMasker([MaskedValue("hunter22"), MaskedValue("correct horse")])

    def seconds(lines: int) -> float:
        text = "<div class='hunt'>lorem hunter ipsum</div>\n" * lines
        begun = time.process_time()
        masker.mask(text)
        return time.process_time() - begun

    small = max(seconds(2_500) for _ in range(3))
    assert seconds(25_000) < 50 * small  # ten times the text; a search that looks back over it takes 100 times as long


# --- answers ---


class FakeVault:
    def __init__(self, *secrets: VaultSecret) -> None:
        self.secrets = {each.name: each for each in secrets}

    async def secret(self, name: str, request: SecretRequest | None = None) -> VaultSecret:
        return self.secrets[name]

    async def values_to_mask(self, name: str) -> tuple[VaultSecret, ...]:
        return (await self.secret(name),)


class FakeSession:
    """As much of a session as `SessionSecrets` needs."""

    def __init__(self, *secrets: VaultSecret) -> None:
        self.vault = lambda: FakeVault(*secrets)
        self.browser = Browser()
        self.deadline = CommandDeadline()
        self.messages_since = 0.0


async def session_secrets(*secrets: VaultSecret) -> SessionSecrets:
    found = SessionSecrets(FakeSession(*secrets))  # type: ignore[arg-type]
    for each in secrets:
        await found.for_servers(f"{{{{vault:{each.name}}}}}")
    return found


async def test_every_part_of_an_answer() -> None:
    element = {
        "id": 1234,
        "type": "input",
        "role": "text",
        "text": "is hunter22",
        "options": {"first": ["hunter22"], "count": 1},
    }
    answer = Answer(
        command="text hunter22",
        error=ElementNotFound("no hunter22", "Did you mean hunter22?"),
        observation=Observation(
            "https://a.example/hunter22",
            "hunter22",
            [element],
            {"form": {"title": "hunter22"}},
            tools=["hunter22"],
        ),
        page=("https://a.example/?hunter22", "hunter22"),
        lines=["hunter22"],
        block="hunter22",
        notes=["hunter22"],
        changes=[PageChange("+", "hunter22", {"text": "hunter22"})],
        data={"hunter22": ["hunter22", 1234, 5, True, None, {"a": ("hunter22",)}]},
    )
    mask_answer(
        answer, await session_secrets(VaultSecret("shop.password", "hunter22"), VaultSecret("bank.pin", "1234"))
    )
    assert "hunter22" not in repr(answer.values()) + answer.error.message + str(answer.error.hint) + str(answer.error)  # type: ignore[union-attr]
    for form in (False, True):
        for error in (answer.error, None):
            answer.json, answer.error = form, error
            assert "hunter22" not in answer.render()
    assert answer.data == {MASK: [MASK, MASK, 5, True, None, {"a": [MASK]}]}
    assert element["text"] == "is hunter22"  # what the session itself knows stays
    assert answer.observation is not None
    assert answer.observation.elements[0]["id"] == 1234


async def test_data_without_secrets_is_returned_unchanged() -> None:
    secrets = await session_secrets(VaultSecret("shop.password", "hunter22"))
    data = {"a": [1, "b", {"c": None}], "d": 2.5}
    assert secrets.mask_data(data) is data
    assert secrets.names == ("shop.password",)


async def test_a_value_that_was_changed_stays_hidden() -> None:
    secrets = await session_secrets(
        VaultSecret("shop.password", "first one"), VaultSecret("shop.password", "second one")
    )
    assert secrets.mask_text("first one") == secrets.mask_text("first one") != "second one"
    both = SessionSecrets(FakeSession())  # type: ignore[arg-type]
    for value in ("first one", "second one"):
        both._session = FakeSession(VaultSecret("shop.password", value))  # type: ignore[assignment]
        await both.for_servers("{{vault:shop.password}}")
    assert both.mask_text("first one, second one") == f"{MASK}, {MASK}"


async def test_the_lines_of_a_key() -> None:
    secrets = await session_secrets(VaultSecret("host.key", "-----BEGIN KEY-----\nabcdefgh\n  ijklmnop\n=x\n"))
    assert secrets.mask_text("a ijklmnop, =x") == f"a {MASK}, =x"


async def test_combined_secrets_are_allowed_only_at_common_origins() -> None:
    user, word = (
        VaultSecret("a.user", "anna", ("https://a", "https://b")),
        VaultSecret("b.word", "hunter22", ("https://b",)),
    )
    secrets = await session_secrets(
        user, word, VaultSecret("c.free", "anything"), VaultSecret("d.word", "hunter33", ("https://d",))
    )
    assert await secrets.for_servers("{{vault:a.user}}", "{{vault:b.word}}{{vault:c.free}}") == (
        ["anna", "hunter22anything"],
        ("https://b",),
    )
    assert await secrets.for_servers("x", "{{vault:c.free}}") == (["x", "anything"], ())
    with pytest.raises(SecretNotAllowed, match=r"a\.user and d\.word of the vault are for different servers"):
        await secrets.for_servers("{{vault:a.user}}", "{{vault:d.word}}")


async def test_a_short_name_of_a_user_is_no_secret() -> None:
    secrets = await session_secrets(VaultSecret("shop.user", "ann"))
    assert secrets.mask_text("ann") == "ann"


def test_a_masked_url_is_readable() -> None:
    assert location(f"https://a.example/?p={MASK}") == f"a.example/?p={MASK}"


def test_a_secret_is_not_in_its_representation() -> None:
    assert repr(VaultSecret("shop.password", "hunter22")) == "Secret('shop.password')"


def test_shortened_texts_end_as_is_looked_for() -> None:
    assert shortened("hunter22", 5).endswith("…")
    assert plain("…") == "…"


# --- where they may go ---


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Shop.Example/login?x", "https://shop.example"),
        ("https://shop.example:443/", "https://shop.example"),
        ("http://shop.example:443/", "http://shop.example:443"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("https://user:pw@shop.example", "https://shop.example"),
        ("https://[::1]:8443/x", "https://[::1]:8443"),
        ("https://bücher.example/", "https://xn--bcher-kva.example"),
        ("about:blank", None),
        ("data:text/html,x", None),
        ("blob:https://shop.example/1", None),
        ("file:///etc/passwd", None),
        ("https://", None),
        ("https://a:99999/", None),
        ("", None),
    ],
)
def test_origins(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "line",
    [
        'type "Password" "{{vault:shop.password}}"',
        'login "{{vault:shop}}" "{{ vault:shop }}"',
        'fill_form {"Name": "{{vault:shop.user}}", "Age": 3}',
        'headers set {"X-Key": "Bearer {{vault:api.token}}"}',
        'run sign_in --password "{{vault:shop.password}}"',
        'type "Braces" "{{name}}"',
        'eval "({{a: 1}})"',
    ],
)
def test_places_for_references(line: str) -> None:
    command = parse(line).command
    assert command is not None
    check_references(command)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('goto "https://a.example/{{vault:shop.password}}"', "url of goto"),
        ('click "{{vault:shop.password}}"', "target of click"),
        ('type "{{vault:shop.password}}" "x"', "target of type"),
        ('type "a" near "{{vault:shop.password}}" "x"', "target of type"),
        ("eval \"send('{{vault:shop.password}}')\"", "script of eval"),
        ('clipboard write "{{ vault:shop.password }}"', "text of clipboard write"),
        ('select "Country" "{{vault:shop.password}}"', "choice of select"),
        ('cookies set "{{vault:a.b}}" "x"', "name of cookies set"),
        ('screenshot --output "{{vault:a.b}}"', "output of screenshot"),
    ],
)
def test_no_places_for_references(line: str, place: str) -> None:
    command = parse(line).command
    assert command is not None
    with pytest.raises(SecretNotAllowed, match=place):
        check_references(command)


async def test_for_a_page_and_for_a_domain() -> None:
    bound = VaultSecret("shop.password", "hunter22", ("https://shop.example", "https://pay.example:8443"))
    secrets = await session_secrets(bound)
    reference = "{{vault:shop.password}}"
    assert await secrets.for_page(f"a {reference}", "https://shop.example/x") == "a hunter22"
    assert await secrets.for_domain(reference, "pay.example:8443") == "hunter22"
    assert await secrets.for_servers(reference) == (["hunter22"], tuple(sorted(bound.origins)))
    for url in (
        "http://shop.example/",
        "https://shop.example.evil.example/",
        "https://shop.example:8443/",
        "about:blank",
    ):
        with pytest.raises(SecretNotAllowed) as caught:
            await secrets.for_page(reference, url)
        assert "hunter22" not in str(caught.value)
    for domain in (None, "example", "evil.example"):
        with pytest.raises(SecretNotAllowed):
            await secrets.for_domain(reference, domain)


@pytest.mark.slow
async def test_codes_stay_masked_when_hundreds_were_used() -> None:
    chance = random.Random(46)
    codes = [f"{chance.randint(0, 999_999):06}" for _ in range(300)]
    secrets = await session_secrets(*(VaultSecret(f"shop{at}.totp", code, (), True) for at, code in enumerate(codes)))
    for code in codes:
        spread = "&".join(f"d{at}={digit}" for at, digit in enumerate(code))
        for text in (code, f"x{code}y", f"code={code}&a=1", json.dumps(list(code)), spread, json.dumps({"code": code})):
            assert MASK in secrets.mask_text(text), text
        form = json.dumps({f"digit-{at}": digit for at, digit in enumerate(code)})
        assert secrets.mask_text(form).count(MASK) == 1
        assert secrets.mask_data(list(code)) == [MASK]
    assert secrets.mask_text("at 12:34 on 2026-11-29, [1, 2, 3, 4], a=1&b=2") == (
        "at 12:34 on 2026-11-29, [1, 2, 3, 4], a=1&b=2"
    )
    text = "The quick brown fox, 12:34, price 1234, & <b>x</b> %20 " * 200
    began = time.process_time()
    secrets.mask_text(text)
    assert time.process_time() - began < 0.5
