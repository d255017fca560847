"""`intercept …`, `requests`, `request`, `har …`, `offline`, `throttle …`, `credentials …`.

An `intercept` command becomes an `InterceptionRule`; the file of a mock response is read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import NETWORK_PRESETS, HttpCredentials, InterceptionRule, MockResponse
from oryn.core.text_safety import plain, quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output import exchanges
from oryn.engine.output.answer import Answer
from oryn.engine.recording.har import HarRecorder
from oryn.errors import (
    AlreadyRunning,
    ConflictingOptions,
    InvalidValue,
    MissingArgument,
    NameNotFound,
    NotRunning,
    OrynError,
)
from oryn.language import (
    VAULT_REFERENCE,
    Credentials,
    CredentialsClear,
    Har,
    Intercept,
    InterceptClear,
    Offline,
    Requests,
    RequestShow,
    Throttle,
    ThrottleOff,
    with_vault_field,
)

if TYPE_CHECKING:
    from oryn.browsers.base.network import Exchange, StreamMessage
    from oryn.engine.file_access import Files
    from oryn.engine.session import Session

MAX_RESPONSE_BYTES = 16_000_000
"""Maximum size of a file for mock responses. It stays in memory, and is sent with each response."""
_TEXT_TYPES = frozenset({"application/json", "application/javascript", "application/xml", "image/svg+xml"})


def rule_of(command: Intercept, files: Files) -> InterceptionRule:
    """Return the rule of a command. Raises `ConflictingOptions`, `InvalidValue`, and the errors of `Files` for
    `--respond-file`."""
    answers = command.respond is not None or command.respond_file is not None
    if command.respond is not None and command.respond_file is not None:
        raise ConflictingOptions("--respond and --respond-file conflict")
    if command.block and answers:
        raise ConflictingOptions(f"--block and {'--respond-file' if command.respond is None else '--respond'} conflict")
    if command.edit_json is not None and (answers or command.block or command.status is not None):
        raise ConflictingOptions("--edit-json changes the server's answer: leave the options of another answer out")
    if command.pattern is None and command.type is None:
        raise MissingArgument("intercept takes a pattern", 'intercept "*/api/*", or --type image for all URLs')
    rule = InterceptionRule(
        "*" if command.pattern is None else command.pattern,
        block=command.block,
        kind=command.type,
        delay=command.delay or 0.0,
        edit=command.edit_json,
    )
    if command.status is not None and not 200 <= command.status <= 599:
        raise InvalidValue(f"{command.status} is no status of an answer", "A number from 200 to 599.")
    if not answers and command.status is None:
        return rule
    status = 200 if command.status is None else command.status
    if command.respond_file is not None:
        content = files.read_bytes(command.respond_file, MAX_RESPONSE_BYTES)
        kind = content_type(command.respond_file)
        return replace(rule, reply=MockResponse(status, (("Content-Type", kind),), content))
    if command.respond is not None:
        body = command.respond.encode("utf-8", "replace")
        return replace(rule, reply=MockResponse(status, (("Content-Type", "application/json"),), body))
    return replace(rule, reply=MockResponse(status))


def content_type(path: str) -> str:
    """Return the type for a file name's suffix; text is assumed to be UTF-8."""
    import mimetypes

    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") or kind in _TEXT_TYPES else kind


def rule_line(rule: InterceptionRule) -> str:
    """Render a rule: `block image "*/ads/*"`, `answer "*/api/*" with 200, 14 bytes, after 2 s`, `log "*"`."""
    does = " ".join(filter(None, (_action(rule), rule.kind, quoted(rule.pattern))))
    if rule.reply is not None:
        does += f" with {rule.reply.status}, {len(rule.reply.body)} bytes"
    if not rule.delay:
        return does
    return f"{does}{' by' if _action(rule) == 'delay' else ', after'} {rule.delay:g} s"


def _action(rule: InterceptionRule) -> str:
    if rule.reply is not None:
        return "answer"
    if rule.block:
        return "block"
    if rule.edit is not None:
        return "edit"
    return "delay" if rule.delay else "log"


def rule_data(rule: InterceptionRule) -> dict[str, Any]:
    return {
        "pattern": rule.pattern,
        "type": rule.kind,
        "action": _action(rule),
        "status": rule.reply.status if rule.reply else None,
        "delay": rule.delay,
    }


@handles(Intercept)
async def intercept(session: Session, command: Intercept) -> Answer:
    rule = rule_of(command, session.files)
    await session.browser.network.add_rule(rule)
    return Answer(lines=[rule_line(rule)], data=rule_data(rule))


@handles(InterceptClear)
async def intercept_clear(session: Session, command: InterceptClear) -> Answer:
    network = session.browser.network
    count = await network.remove_rules(command.pattern)
    if command.pattern is not None and not count:
        patterns = ", ".join(quoted(rule.pattern) for rule in network.rules)
        raise NameNotFound(
            f"no rule {quoted(command.pattern)}", f"Rules: {patterns}." if patterns else "There are no rules."
        )
    return Answer(lines=[f"{count} dropped"], data=count)


@handles(Requests)
async def requests(session: Session, command: Requests) -> Answer:
    found = [
        each
        for each in session.browser.network.exchanges()
        if (command.filter is None or command.filter in each.url)
        and (command.method is None or command.method == each.method)
    ]
    if command.messages:
        numbers = {each.number for each in found}
        messages = [each for each in session.browser.network.messages() if each.request in numbers]
        answer, newest = _list_messages(session, found, messages, command.last)
        answer.data = [
            exchanges.with_messages(exchanges.summary(each), newest)
            for each in found
            if any(message.request == each.number for message in newest)
        ]
        answer.block = "\n".join(map(exchanges.message_row, newest)) or None
        return answer
    listed = found if command.last is None else found[len(found) - min(command.last, len(found)) :]
    answer = Answer(lines=list(map(exchanges.row, listed)) or ["none"], data=list(map(exchanges.summary, listed)))
    if hidden := len(found) - len(listed):
        answer.notes.append(f"{hidden} earlier left out by --last")
    return answer


def _list_messages(
    session: Session, found: Sequence[Exchange], messages: Sequence[StreamMessage], last: int | None
) -> tuple[Answer, list[StreamMessage]]:
    """Choose the newest of the messages of exchanges, and mask what they contain. Returns them with an answer that says
    what is left out."""
    count = exchanges.DEFAULT_LAST_MESSAGES if last is None else last
    listed = [
        replace(each, content=session.mask_data(each.content), event=session.mask_data(each.event))
        for each in messages[max(0, len(messages) - count) :]
    ]
    answer = Answer(lines=[] if listed else ["none"])
    total = sum(each.messages_sent + each.messages_received for each in found)
    if hidden := total - len(listed):
        gone = total - len(messages)
        answer.notes.append(f"{hidden:,} earlier left out{f', {gone:,} of them no longer stored' if gone else ''}")
    if silent := sorted({each.kind for each in found} & session.browser.network.silent_kinds):
        answer.notes.append(f"this browser does not report the messages of {', '.join(silent)}")
    return answer, listed


@handles(RequestShow)
async def request_show(session: Session, command: RequestShow) -> Answer:
    if command.last is not None and not command.messages:
        raise ConflictingOptions("--last is for --messages", "request <n> --messages --last 20")
    transcript = await session.browser.network.exchange_with_bodies(
        command.number, timeout=session.deadline.remaining()
    )
    if transcript is None:
        raise NameNotFound(f"no request {command.number}", "Run 'requests' to see which there are.")
    if command.messages:
        messages = session.browser.network.messages(command.number)
        answer, listed = _list_messages(session, [transcript.exchange], messages, command.last)
        answer.lines.insert(0, exchanges.row(transcript.exchange))
        limit = exchanges.DATA_CHARACTERS
        rows = [exchanges.message_row(each, limit, numbered=False) for each in listed]
        answer.block = "\n".join(rows) or None
        answer.data = exchanges.with_messages(exchanges.whole(transcript), listed)
        return answer
    return Answer(
        lines=[exchanges.row(transcript.exchange)],
        block=exchanges.page_text(transcript),
        notes=exchanges.notes(transcript),
        data=exchanges.whole(transcript),
    )


# --- recording ---


@handles(Har)
async def har(session: Session, command: Har) -> Answer:
    return await (_har_start if command.action == "start" else _har_stop)(session, command)


async def _har_start(session: Session, command: Har) -> Answer:
    network = session.browser.network
    if network.recorder is not None:
        raise AlreadyRunning("a recording is under way", "Run 'har stop' first.")
    if command.path is not None:
        session.files.writable(command.path, overwrite=command.overwrite)
    await network.record(HarRecorder(command.path, session.mask_data))
    return Answer()


async def _har_stop(session: Session, command: Har) -> Answer:
    network = session.browser.network
    recording = network.recorder
    if not isinstance(recording, HarRecorder):
        raise NotRunning("no recording is under way", "Run 'har start' first.")
    target = command.path or recording.path
    if target is None:
        raise InvalidValue("har stop needs a path: the recording was started without one", "har stop <path>")
    # Check the path before the recording ends, so that the user can still name another.
    session.files.writable(target, overwrite=command.overwrite)
    await network.record(None, timeout=session.deadline.remaining())
    try:
        browser = await session.browser.version()
        with session.files.writing(target) as file:
            recording.write(file, browser)
    except OrynError:
        await network.record(recording)  # the recording continues: the user can stop it with another path
        raise
    recording.close()
    written = session.files.readable(target)
    size = exchanges.size_text(written.stat().st_size)
    return Answer(
        lines=[f"{recording.count} requests, {size}, {quoted(str(written))}"],
        data={"path": str(written), "requests": recording.count},
    )


# --- network conditions ---


@handles(Offline)
async def offline(session: Session, command: Offline) -> Answer:
    await session.browser.network.set_offline(command.state == "on")
    return Answer()


@handles(Throttle)
async def throttle(session: Session, command: Throttle) -> Answer:
    speed = NETWORK_PRESETS.get(command.preset.lower())
    if speed is None:
        raise InvalidValue(
            f"no connection is called {quoted(command.preset)}", f"One of {', '.join(NETWORK_PRESETS)}, or off."
        )
    await session.browser.network.throttle(speed)
    line = (
        f"{speed.latency * 1000:g} ms, {exchanges.size_text(speed.download)}/s down, "
        f"{exchanges.size_text(speed.upload)}/s up"
    )
    return Answer(lines=[line], data={"preset": plain(command.preset.lower())})


@handles(ThrottleOff)
async def throttle_off(session: Session, command: ThrottleOff) -> Answer:
    await session.browser.network.throttle(None)
    return Answer()


@handles(Credentials)
async def credentials(session: Session, command: Credentials) -> Answer:
    login = HttpCredentials(command.user, command.password)
    if VAULT_REFERENCE.search(login.user + login.password):
        fields = with_vault_field(login.user, "user"), with_vault_field(login.password, "password")
        (user, password), origins = await session.secrets.for_servers(*fields)
        login = HttpCredentials(user, password, origins)
    await session.browser.network.set_credentials(login)
    return Answer()


@handles(CredentialsClear)
async def credentials_clear(session: Session, command: CredentialsClear) -> Answer:
    await session.browser.network.set_credentials(None)
    return Answer()
