"""`intercept …`, `requests`, `request`, `har …`, `offline`, `throttle …`, `credentials …`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.base.network import SPEEDS, Login
from oryn.engine import exchanges, replies
from oryn.engine.answer import Answer
from oryn.engine.escape import plain, quoted
from oryn.engine.execute.registry import handles
from oryn.engine.har import Recording
from oryn.errors import AlreadyRunning, InvalidValue, NameNotFound, NotRunning, OrynError
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
    of_entry,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Intercept)
async def intercept(session: Session, command: Intercept) -> Answer:
    rule = replies.rule_of(command, session.files)
    await session.browser.network.add_rule(rule)
    return Answer(lines=[replies.rule_line(rule)], data=replies.rule_data(rule))


@handles(InterceptClear)
async def intercept_clear(session: Session, command: InterceptClear) -> Answer:
    network = session.browser.network
    count = await network.drop_rules(command.pattern)
    if command.pattern is not None and not count:
        known = ", ".join(quoted(rule.pattern) for rule in network.rules)
        raise NameNotFound(f"no rule {quoted(command.pattern)}", f"Rules: {known}." if known else "There are no rules.")
    return Answer(lines=[f"{count} dropped"], data=count)


@handles(Requests)
async def requests(session: Session, command: Requests) -> Answer:
    found = [
        each
        for each in session.browser.network.exchanges()
        if (command.filter is None or command.filter in each.url)
        and (command.method is None or command.method == each.method)
    ]
    shown = found if command.last is None else found[len(found) - min(command.last, len(found)) :]
    answer = Answer(lines=list(map(exchanges.row, shown)) or ["none"], data=list(map(exchanges.summary, shown)))
    if hidden := len(found) - len(shown):
        answer.notes.append(f"{hidden} earlier left out by --last")
    return answer


@handles(RequestShow)
async def request_show(session: Session, command: RequestShow) -> Answer:
    transcript = await session.browser.network.transcript(command.number, timeout=session.remaining())
    if transcript is None:
        raise NameNotFound(f"no request {command.number}", "Run 'requests' to see which there are.")
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
    await network.record(Recording(command.path, session.withheld_data))
    return Answer()


async def _har_stop(session: Session, command: Har) -> Answer:
    network = session.browser.network
    recording = network.recorder
    if not isinstance(recording, Recording):
        raise NotRunning("no recording is under way", "Run 'har start' first.")
    target = command.path or recording.path
    if target is None:
        raise InvalidValue("har stop needs a path: the recording was started without one", "har stop <path>")
    # Before the recording ends, so that another path can still be given.
    session.files.writable(target, overwrite=command.overwrite)
    await network.record(None, timeout=session.remaining())
    try:
        browser = await session.browser.version()
        with session.files.writing(target) as file:
            recording.write(file, browser)
    except OrynError:
        await network.record(recording)  # nothing is lost: it can be stopped again, with another path
        raise
    recording.close()
    written = session.files.readable(target)
    size = exchanges.size_text(written.stat().st_size)
    return Answer(
        lines=[f"{recording.count} requests, {size}, {quoted(str(written))}"],
        data={"path": str(written), "requests": recording.count},
    )


# --- what the network is like ---


@handles(Offline)
async def offline(session: Session, command: Offline) -> Answer:
    await session.browser.network.set_offline(command.state == "on")
    return Answer()


@handles(Throttle)
async def throttle(session: Session, command: Throttle) -> Answer:
    speed = SPEEDS.get(command.preset.lower())
    if speed is None:
        raise InvalidValue(f"no connection is called {quoted(command.preset)}", f"One of {', '.join(SPEEDS)}, or off.")
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
    login = Login(command.user, command.password)
    if VAULT_REFERENCE.search(login.user + login.password):
        fields = of_entry(login.user, "user"), of_entry(login.password, "password")
        (user, password), origins = await session.secrets.for_servers(*fields)
        login = Login(user, password, origins)
    await session.browser.network.set_login(login)
    return Answer()


@handles(CredentialsClear)
async def credentials_clear(session: Session, command: CredentialsClear) -> Answer:
    await session.browser.network.set_login(None)
    return Answer()
