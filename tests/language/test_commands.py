"""Every command of the table: a line, and the object that it means."""

from __future__ import annotations

import pytest

import oryn.language as c
from oryn.language import (
    CssTarget,
    IdTarget,
    KindTarget,
    PointTarget,
    ReferenceTarget,
    RoleTarget,
    TextTarget,
    XPathTarget,
    parse,
    render,
)
from oryn.language.kinds import TARGET

EXAMPLES: dict[str, c.Command] = {
    # Moving
    "goto a.org": c.Goto("https://a.org"),
    'goto /x --headers {"A": 1}': c.Goto("/x", headers={"A": "1"}),
    "back": c.Back(),
    "forward": c.Forward(),
    "refresh --hard --timeout 500ms": c.Refresh(hard=True, timeout=0.5),
    "url": c.Url(),
    # Looking
    "observe --full --near x --limit 5": c.Observe(full=True, near="x", limit=5),
    "observe --minimal --viewport --hidden --positions --diff": c.Observe(
        minimal=True, viewport=True, hidden=True, positions=True, diff=True
    ),
    'observe --within form "Address" --roles button,link': c.Observe(
        within=KindTarget("form", "Address"), roles=("button", "link")
    ),
    'find "plants?" --regex --within 5 --limit 3': c.Find("plants?", regex=True, within=IdTarget(5), limit=3),
    'audit accessibility --fail-on serious --tags "wcag2a wcag2aa" --without region --full': c.AuditAccessibility(
        fail_on="serious", tags=("wcag2a", "wcag2aa"), without=("region",), full=True
    ),
    "vitals --fail-on poor --max-lcp 2500 --max-cls 0.1 --max-inp 200 --max-fcp 1800 --max-ttfb 800 --full": c.Vitals(
        fail_on="poor", max_lcp=2500, max_cls=0.1, max_inp=200, max_fcp=1800, max_ttfb=800, full=True
    ),
    "snapshot": c.Snapshot(),
    "snapshot --within 5 --depth 2 --roles row": c.Snapshot(within=IdTarget(5), depth=2, roles=("row",)),
    "html --selector main": c.Html(selector="main"),
    "text 5": c.ReadText(IdTarget(5)),
    "text --selector p": c.ReadText(selector="p"),
    "title": c.Title(),
    "screenshot 5 --output a.png --format jpeg --quality 60 --annotate": c.Screenshot(
        IdTarget(5), output="a.png", format="jpeg", quality=60, annotate=True
    ),
    "screenshot --clip 0,10,200,100.5 --fullpage --scale 0.5 --if-changed": c.Screenshot(
        clip=(0, 10, 200, 100.5), fullpage=True, scale=0.5, if_changed=True
    ),
    "diff picture a.png": c.DiffPicture("a.png"),
    "diff picture a.png b.png --threshold 0.2 --mask 0,0,5,5 --mask 9,9,1,1 --fail-over 1": c.DiffPicture(
        "a.png", "b.png", threshold=0.2, mask=((0, 0, 5, 5), (9, 9, 1, 1)), fail_over=1
    ),
    "diff picture a.png --fullpage --overwrite --output d.png": c.DiffPicture(
        "a.png", fullpage=True, overwrite=True, output="d.png"
    ),
    "zoom 5 --scale 3": c.Zoom(IdTarget(5), scale=3),
    "zoom --clip 0,0,20,10": c.Zoom(clip=(0, 0, 20, 10)),
    "box email": c.Box(RoleTarget("email")),
    "value 5 --strict": c.Value(IdTarget(5), strict=True),
    "attribute 5 href": c.Attribute(IdTarget(5), "href"),
    "is visible x": c.Is("visible", TextTarget("x")),
    "exists .a": c.Exists(TextTarget(".a")),
    "count .a": c.Count(TextTarget(".a")),
    # Acting
    "click @e5 --double --force --ctrl --shift --alt": c.Click(
        ReferenceTarget(5), double=True, force=True, ctrl=True, shift=True, alt=True
    ),
    "click 5 --right --middle": c.Click(IdTarget(5), middle=True),
    "click 5 --middle --double --right": c.Click(IdTarget(5), double=True, right=True),
    "type 5 x --append --enter --delay 0.5": c.Type(IdTarget(5), "x", append=True, enter=True, delay=0.5),
    "type 5 x --clear": c.Type(IdTarget(5), "x", clear=True),
    "clear 5": c.Clear(IdTarget(5)),
    "press Control+A": c.Press(("control", "a")),
    "keydown shift": c.KeyDown("shift"),
    "keyup all": c.KeyUp("all"),
    "keys": c.Keys(),
    "select 5 2": c.Select(IdTarget(5), 2),
    "select 5 a b": c.Select(IdTarget(5), ("a", "b")),
    "check 5": c.Check(IdTarget(5)),
    "uncheck 5": c.Uncheck(IdTarget(5)),
    "hover at(1,2.5)": c.Hover(PointTarget(1, 2.5)),
    "focus css(#a)": c.Focus(CssTarget("#a")),
    "scroll down --page": c.Scroll("down", page=True),
    "scroll left 5 --amount 100": c.Scroll("left", IdTarget(5), amount=100),
    "submit": c.Submit(),
    "submit 5": c.Submit(IdTarget(5)),
    "drag 1 to 2": c.Drag(IdTarget(1), IdTarget(2)),
    "drag 1 --offset 120,-5.5": c.Drag(IdTarget(1), offset=(120, -5.5)),
    "drag 1 --offset -50,0 to 2": c.Drag(IdTarget(1), IdTarget(2), offset=(-50, 0)),
    "mouse move at(3,4)": c.MouseMove(PointTarget(3, 4)),
    "mouse down": c.MouseDown(),
    "mouse down 5 --right": c.MouseDown(IdTarget(5), right=True),
    "mouse up": c.MouseUp(),
    "mouse wheel": c.MouseWheel(),
    "mouse wheel up 5 --amount 300": c.MouseWheel("up", IdTarget(5), amount=300),
    "tap 5": c.Tap(IdTarget(5)),
    "upload 5 a 'b c'": c.Upload(IdTarget(5), ("a", "b c")),
    "clipboard read": c.ClipboardRead(),
    "clipboard write x": c.ClipboardWrite("x"),
    # Waiting
    "wait idle": c.WaitLoad("idle"),
    "wait hidden xpath(//a)": c.WaitElement("hidden", XPathTarget("//a")),
    "wait gone .a": c.WaitElement("gone", TextTarget(".a")),
    'wait text "Saved * times" --gone': c.WaitText("Saved * times", gone=True),
    "wait url */x": c.WaitUrl("*/x"),
    "wait until 'a == b'": c.WaitUntil("a == b"),
    "wait items li 10": c.WaitItems("li", 10),
    "wait 2m": c.WaitTime(120),
    "wait 2": c.WaitTime(2),
    "wait 0.25": c.WaitTime(0.25),
    "wait 1.5m": c.WaitTime(90),
    "wait 1.5ms": c.WaitTime(0.0015),
    # Reading data
    "extract links --selector nav --format csv": c.Extract("links", selector="nav", format="csv"),
    "extract css(.a)": c.Extract(CssTarget(".a")),
    # State
    "cookies list": c.CookiesList(),
    "cookies get a": c.CookiesGet("a"),
    "cookies set a b": c.CookiesSet("a", "b"),
    "cookies delete a": c.CookiesDelete("a"),
    "cookies clear": c.CookiesClear(),
    "storage list --local": c.StorageList(local=True),
    "storage get a": c.StorageGet("a"),
    "storage set a b --session": c.StorageSet("a", "b", session=True),
    "storage delete a": c.StorageDelete("a"),
    "storage clear": c.StorageClear(),
    "sessions": c.Sessions(),
    "session": c.SessionShow(),
    "session a": c.SessionSwitch("a"),
    "session new a --mode remote": c.SessionNew("a", mode="remote"),
    "session close a": c.SessionClose("a"),
    "state save a --cookies-only --domain b --include-session": c.StateSave(
        "a", cookies_only=True, domain="b", include_session=True
    ),
    "state load a --merge --cookies-only": c.StateLoad("a", merge=True, cookies_only=True),
    "headers": c.HeadersShow(),
    "headers a.org": c.HeadersShow("a.org"),
    'headers set {"A": "b"}': c.HeadersSet({"A": "b"}),
    'headers set a.org {"A": "b"}': c.HeadersSet({"A": "b"}, domain="a.org"),
    "headers clear a.org": c.HeadersClear("a.org"),
    # Tabs, frames, dialogs
    "tabs": c.Tabs(),
    "tab new localhost:80/x": c.TabNew("http://localhost:80/x"),
    "tab switch 2": c.TabSwitch(2),
    "notes": c.Notes(),
    'notes answer 2 "Which green?"': c.NoteAnswer(2, "Which green?"),
    'notes done 2 "It is green now."': c.NoteDone(2, "It is green now."),
    "notes picture 2 --output note.jpg --overwrite": c.NotePicture(2, output="note.jpg", overwrite=True),
    "tab take 2": c.TabTake(2),
    "tab release": c.TabRelease(),
    "tab release 2": c.TabRelease(2),
    "tab close": c.TabClose(),
    "tab close 2": c.TabClose(2),
    "frames": c.Frames(),
    "frame parent": c.FrameUp("parent"),
    "frame 5": c.FrameSwitch(IdTarget(5)),
    'frame "main"': c.FrameSwitch(TextTarget("main")),
    "dialog accept": c.DialogAccept(),
    "dialog accept x": c.DialogAccept("x"),
    "dialog dismiss": c.DialogDismiss(),
    "dialog auto off": c.DialogAuto("off"),
    # Network and console
    "intercept a --block --status 403": c.Intercept("a", block=True, status=403),
    "intercept a --respond [1] --respond-file b": c.Intercept("a", respond="[1]", respond_file="b"),
    "intercept a --respond null": c.Intercept("a", respond="null"),
    "intercept clear": c.InterceptClear(),
    "intercept clear a": c.InterceptClear("a"),
    "requests --filter a --method get --last 5": c.Requests(filter="a", method="GET", last=5),
    "request 5": c.RequestShow(5),
    "har stop a.har": c.Har("stop", "a.har"),
    "offline on": c.Offline("on"),
    "throttle slow-3g": c.Throttle("slow-3g"),
    "throttle off": c.ThrottleOff(),
    "credentials a b": c.Credentials("a", "b"),
    "credentials clear": c.CredentialsClear(),
    "console --level warn --filter a --last 5": c.Console(level="warn", filter="a", last=5),
    "console clear": c.ConsoleClear(),
    "errors --last 5": c.Errors(last=5),
    "errors clear": c.ErrorsClear(),
    # Device
    "viewport 1280 720": c.Viewport(1280, 720),
    "device iPhone 14": c.Device("iPhone 14"),
    "device reset": c.DeviceReset(),
    "devices": c.Devices(),
    "media color-scheme dark": c.MediaColorScheme("dark"),
    "media reduced-motion no-preference": c.MediaReducedMotion("no-preference"),
    "media contrast more": c.MediaContrast("more"),
    "media forced-colors active": c.MediaForcedColors("active"),
    "media type print": c.MediaType("print"),
    "media reset": c.MediaReset(),
    "geolocation -33.8 151": c.Geolocation(-33.8, 151),
    "geolocation off": c.GeolocationOff(),
    "locale de-DE": c.Locale("de-DE"),
    "locale reset": c.LocaleReset(),
    "timezone Europe/Paris": c.Timezone("Europe/Paris"),
    "timezone reset": c.TimezoneReset(),
    "useragent 'a b'": c.UserAgent("a b"),
    "useragent reset": c.UserAgentReset(),
    # Recording
    "trace start": c.TraceStart(),
    "trace stop a.zip": c.TraceStop("a.zip"),
    "record start a.webm --quality low": c.RecordStart("a.webm", quality="low"),
    "record stop": c.RecordStop(),
    "highlight 5 --duration 2s --color red": c.Highlight(IdTarget(5), duration=2, color="red"),
    "highlight clear": c.HighlightClear(),
    "pdf a.pdf --format a4 --landscape --margin 1.5": c.Pdf("a.pdf", format="A4", landscape=True, margin=1.5),
    # Intents
    "login a b --no-submit --wait 2s": c.Login("a", "b", no_submit=True, wait=2),
    "search a --submit click --wait 1s": c.Search("a", submit="click", wait=1),
    "dismiss Modal": c.Dismiss("modal"),
    "dismiss 'Cookie Consent'": c.Dismiss("Cookie Consent"),
    "accept cookies": c.AcceptCookies(),
    "scroll until 5": c.ScrollUntil(IdTarget(5)),
    "logout": c.Logout(),
    'fill_form {"a": true}': c.FillForm({"a": True}),
    "define a:": c.Define("a"),
    "undefine a": c.Undefine("a"),
    "run a --b 1 --c x --b 2 --timeout 1s": c.Run("a", (("b", "2"), ("c", "x")), timeout=1),
    "intents --session": c.Intents(session=True),
    "export a --output b": c.Export("a", output="b"),
    "packs": c.Packs(),
    "pack load a": c.Pack("load", "a"),
    "pack unload a": c.Pack("unload", "a"),
    "program a.py --report all": c.Program("a.py", report="all"),
    'program --text "x = 1\\nx" --yielding': c.Program(text="x = 1\nx", yielding=True),
    "program --from p_1": c.Program(resume="p_1"),
    "learn status": c.Learn("status"),
    "learn save a": c.LearnSave("a"),
    "program save a": c.ProgramSave("a"),
    "program save a b.py": c.ProgramSave("a", "b.py"),
    'program save a --text "url()"': c.ProgramSave("a", text="url()"),
    "learn discard": c.LearnDiscard(),
    # The rest
    "eval document.title": c.Eval("document.title"),
    "script add a.js": c.ScriptAdd("a.js"),
    "script list": c.ScriptList(),
    "script remove 1": c.ScriptRemove(1),
    "tools": c.Tools(),
    'tool call a/b {"c": [1]}': c.ToolCall("a/b", {"c": [1]}),
    "tool call a null": c.ToolCall("a", None),
    "help": c.Help(),
    "help click": c.Help("click"),
    "exit": c.Exit(),
    "output json": c.Output("json"),
}


@pytest.mark.parametrize(("raw", "command"), EXAMPLES.items())
def test_a_line_means_its_command(raw: str, command: c.Command) -> None:
    assert parse(raw).command == command
    assert parse(render(command)).command == command


def test_every_command_is_among_the_examples() -> None:
    assert {type(command) for command in EXAMPLES.values()} == set(c.COMMANDS)


@pytest.mark.parametrize("command", c.COMMANDS, ids=lambda command: command.__name__)
def test_every_command_is_documented(command: type[c.Command]) -> None:
    spec = command.spec
    assert command.__doc__
    assert spec.help
    assert spec.family
    assert all(argument.help for argument in spec.arguments)
    assert all(option.help for option in spec.options.values())
    if spec.example:
        assert type(parse(spec.example).command) is command


@pytest.mark.parametrize("command", c.COMMANDS, ids=lambda command: command.__name__)
def test_every_command_takes_the_common_options(command: type[c.Command]) -> None:
    assert ("timeout" in command.spec.options) == (command is not c.Exit)
    spec = command.spec
    has_target = any(part.kind is TARGET for part in (*spec.arguments, *spec.options.values()))
    assert ("strict" in command.spec.options) == has_target
    assert issubclass(command, c.TargetCommand) == has_target


def test_options_of_one_name_have_one_kind_within_a_verb() -> None:
    kinds: dict[tuple[str, str], set[object]] = {}
    for command in c.COMMANDS:
        for name, option in command.spec.options.items():
            kinds.setdefault((command.spec.path[0], name), set()).add(type(option.kind))
    assert all(len(found) == 1 for found in kinds.values())


def test_commands_are_values() -> None:
    click = c.Click(IdTarget(5), double=True)
    assert click == c.Click(IdTarget(5), double=True) != c.Click(IdTarget(5))
    assert hash(click) == hash(c.Click(IdTarget(5), double=True))
    assert click.replace(force=True) == c.Click(IdTarget(5), double=True, force=True)
    assert repr(click) == "Click(IdTarget(5), double=True)"
    with pytest.raises(AttributeError):
        click.double = False  # type: ignore[misc]
    with pytest.raises(TypeError):
        c.Click()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        c.Click(IdTarget(5), bold=True)  # type: ignore[call-arg]
