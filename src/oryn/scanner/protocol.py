"""The scanner protocol 1.1 (seed 003) as the engine uses it, with Oryn's additions. Standard library only.

The seed's `get_console` and `get_errors` (§3.23, §3.24) are not commands of this scanner. A script beside the page sees
nothing of what the page logs, and what it throws only if the two share a world. The backends record both from the start
of each document, for the commands `console` and `errors` (`browsers.base.console`).

Additions to the seed, all optional, so a caller of plain 1.1 sees no difference:

`scan`
    `fields`     list of the optional parts of an element to fill (`ELEMENT_FIELDS`); null fills all. `max_elements` 0
                 is no limit.
    `keep_ids`   true: elements still there keep their number, also if the page has replaced them by others of the same
                 type, role, name and place; new ones continue from `next_id`.
    `near`       a text: only elements of the same row, group, form, section or landmark as its best matches, or, where
                 the page has none, under the same heading or at most 200 pixels away.
    `folded`     false: leave out what is in panels that are folded by their extent and clipping. It has the modifier
                 `hidden`, and `near` and `viewport_only` leave it out always.
    `next_id`    the first free number (frames of one page share one numbering; the engine keeps it). Default: 1 after a
                 clear, else one more than the largest in the map. Every response that may number elements returns
                 `next_id`.
    `listeners`  hints: positions, in the walk order of the page, of elements with click listeners (see `js/walk.js`),
                 with `listeners_of`, the number of elements that walk counted; ignored when the count no longer agrees.
                 Frames of the same origin share one walk, but each knows only its own listeners: unite the positions.
    Response: `page`, `elements`, `patterns`, `stats` (`total` elements found, `returned`, `scanned`), `next_id`.

`find`       all elements that match a target, with the data that the engine ranks by.
    `target`     a tree: `{"text": s}` `{"role": s}` `{"id": n}` `{"css": s}` `{"xpath": s}` `{"point": [x, y]}`, each
                 with an optional `"relation": {"kind": "near|inside|after|before|contains", "to": <tree>}`.
    `any`        true: text may also match elements that are not interactive (waits, relations, and the right side of
                 relations always do).
    `frames`     true: only frames count, also those of the same origin (which a scan does not list but enters).
    `keep_ids`-style numbering is always on: each match gets a number in the map (`next_id` as above).
    Response: `matches` in document order (at most 50, best tier first when cut), each an element (fields `FIND_FIELDS`)
    with `match` (`TargetMatch` below); `count` of all, and `visible`, how many of all can be seen.

    A target may also be `{"reference": n}`: the node `@en` of the last `tree`.

`tree`       the accessibility tree in page order: meaningful nodes, nested as they are. It includes same-origin frames
    and shadow roots, and honours `aria-owns`. Content hidden from assistive technology is left out.
    `next_ref`   the first reference (default 1); references of the previous tree are no longer valid. `next_id` and the
                 `listeners` hints as for `scan`.
    Response: `page`, `nodes` (rows of `TreeNode`, parents before children), `stats` (`scanned`), `next_ref`, `next_id`.

`locate`     the point to press an element, after checking that it can be pressed.
    `id` | `selector`, `force` (default false), `scroll_into_view` (default true), `purpose` `click|hover|type|any`
    (default `click`) or `choose|open`, for a press that is to open something or to choose a value: a button that may do
    something else is INVALID_ELEMENT_TYPE (`js/select_widgets.js`, `refuseSender`). `presses`: how often the mouse
    presses there next. Then the press also reaches an element that the page puts into the document again whenever the
    mouse is over it (`js/boundary_events.js`).
    Waits until a running animation of it has settled (bounded by `timeout`, default 1000 ms), and, if the page has just
    changed in more than its texts, until three frames have it at the same place (at most 500 ms). An element that never
    comes to rest is pressed where it is if it moves so slowly that the press hits it; else ELEMENT_NOT_INTERACTABLE.
    Response: `x`, `y` (this frame's viewport), `rect`, `tag`, `type`, `hovered` (the mouse is there already).
    Errors: ELEMENT_NOT_VISIBLE, ELEMENT_DISABLED, ELEMENT_NOT_INTERACTABLE with `covered_by` (a short description) in
    `data`, and `buttons` (names of at most four) if a dialog or a cookie banner covers it.

`approach`   `find`, `watch` and `locate` in one request, for an action that follows. `target`, `any` and `next_id` as
    for `find`, or `id`; `acting` as for `watch`; `locate`, the parameters of `locate` without the element (if it is
    missing, the element is not located).
    Response: `found`, the response of `find`, or null; `watched`, that of `watch`, missing if there is no match;
    `place`, that of `locate`, with `id`. It is missing if there are several matches, or the only one just contains the
    text; if `watched` says that the page has mutated; and if the element can't be pressed yet.

`restore_scroll`  scroll back what `locate` has scrolled since the last `watch`, for an action that was refused.

`prepare`    make an element ready for typed text: focus it, select its content (`clear` true) or put the cursor at its
    end. `id` | `selector`, `clear`. An editor (`js/editors.js`) may be named by an element around or inside it, or by
    the hidden field that it stands for.
    Response: `mode` `keys` (type with trusted keys), `set` (`type` sets it: date, color, range …) or `editor`; `empty`.
    With `keys`: `control`, whether it is a form's text field, and `lines`, whether it has several lines. With `editor`:
    `code`, whether it holds source code and selects by its own shortcuts alone, `mac`, whether those are macOS', and
    `path`, where `read_editor` finds it, or null.
    Errors: INVALID_ELEMENT_TYPE, ELEMENT_DISABLED (also read-only), ELEMENT_NOT_VISIBLE.

`typed`      what became of `text`, sent as keys after the last `prepare` here. Response: `lost`, true if the field has
    lost the focus and does not contain the text, with `held` of its `length` letters and digits; `place`, a short
    description of the focused element, or null; `frame`, whether that is a frame. If it is false, and the field is a
    form's, `outcome` as of `insert`, or `other`, with `length` of the content and `wanted`, that of the right one; for
    `other` also `held_text` and `wanted_text`, unless it is a password.

`get_value`  of an editor (see `prepare`): `value`, its text with its line breaks, or the lines that it renders if
    `editor` has a `path`; `editor`, `code` and `path` as of `prepare`.

`read_editor`  the whole text of an editor, by the editor's own object. It runs in the page's own world. `path`.
    Response: `text`, null if there is no such object.

`paste`      a paste of `text` at the focus, for the page's own scripts. Response: `taken`, whether they have done it.

`copy`       a copy of what is selected at the focus. Response: `text`, null if the page's scripts copy nothing.

`insert`     put `text` into one field in a single step: actions of the browser, the page's timers and other frames
    happen before or after it, never in between. `id` | `selector`, `text`, `clear` (default true), `fits` (only if a
    field of a form accepts all of it).
    Response: `mode` `inserted`, `set` (see `prepare`), or `keys` (not done, because `fits` was false); `outcome`
    `whole`, `formatted` (the field has the same letters and digits in another form), `limited` (by its `maxlength`),
    `refused` (the field has its former content); `length`, characters of the content then.
    Errors: as `prepare`, and ELEMENT_NOT_INTERACTABLE if the page moved the focus: nothing was written.

Every command also takes `origin`, the only origin that the document may have (`https://a.example`). A document of any
other origin, including an opaque one, rejects it with ORIGIN_CHANGED.

Closed shadow roots are read as well (`js/closed_roots.js`). A backend that calls `__oryn_scanner(request, true)` finds
them for the scanner: a command that reads the whole page answers ROOTS_UNKNOWN, with nothing done, if it must look
first. `__oryn_unsure()` returns the elements that may have one, `__oryn_closed(...roots)` takes those that were found,
and `__oryn_listening(kinds, elements)` the kinds of events that elements in them listen for. Then it sends the request
again; `skip_roots` true makes the command do without.

`settle`     resolve when the document has been quiet: two frames and 32 ms without a mutation, at most `timeout` ms
    (default 500); then, for at most `busy` ms (default 0), when nothing is on its way that began after `watch`: busy
    regions, spinners, transitions and animations that show or hide something.
    Response: `mutated`, `quiet`, `busy` (what is still on its way, or null), `closed` (a script has closed the window,
    which takes the browser a moment).

`wait_for`   also takes `waited`: how many ms of its `timeout` are over. It has three more conditions. `content`: the
    page has something to act on, or text while nothing in it is busy; a page without scripts always has.
    `change`: resolves at the next sign that the page may look different (mutation, input or change event, transition or
    animation end, scroll, resize, load of a resource); with `since_report` true at once, if the document has changed
    since the last `watch` or `changed_texts`.
    `unread_changes`: the document has changed since the last command of that name, outside of feeds, and has been quiet
    for `quiet` ms, or the first such change is `collect` ms old. Response as for the others.

`extract`    of `css` also takes `within`: a selector of the containers whose elements alone count.

`submit`     without `id` and `selector`, if no field has the focus, submits the page's only visible form.

`select`     also takes `values`: a list of values or texts for a multiple select (each matched by value, then by text).

`scroll`     also takes `id`: the element whose nearest scrollable ancestor-or-self is scrolled, and `page`: by one
    screenful (without it and `amount`, by 0.8 of one).

`page`       the `page` part of a scan alone (URL, title, viewport, scroll, ready state), without a walk.

`get_state`  the state of one element for `is …`, `attribute`, `box`: `id`. Response: `state`, `attributes`, `rect`,
    `in_viewport`.

`boxes`      the visible parts of elements: `ids`, numbers of this scanner, or with `references` true of its last tree.
    Response: `boxes`, a list of `id`, `x`, `y`, `width`, `height` in this frame's viewport, clipped by scrolling boxes
    and frames. Elements that are invisible, or behind an open dialog, are left out.

`annotate`   a picture with frames and numbers drawn in: `image` (base64), `format` `png|jpeg|webp` of the result,
    `width` (CSS pixels that the picture is wide), `boxes` as above, relative to the picture. Response: `image`. Nothing
    of it touches the document.

`file_input` the file input that an element is, names (a label) or contains, or that lies over it: `id` | `selector`,
    `next_id`. Response: `input` `{id, multiple, folder, accept, disabled}` or null; without one, `beside`, the only one
    near it, or null, and `drops`, whether it takes files that are dropped on it; `next_id`.

`slider`     the adjustable control (a native range, `role=slider|spinbutton`, a slider's thumb) that an element is,
    names, contains or surrounds: `id` | `selector`, `next_id`; `focus` true focuses it; `after`, a former `position`:
    resolves when it has another one that rests, at most `timeout` ms (default 400).
    Response: `slider`, null or `id`, `native`, `position` (any text, which changes with the value), `now`, `text`,
    `min`, `max`, `step` (null if unknown), `vertical`, `reversed`, `disabled`, and the rects `track` and `thumb`;
    `next_id`.

`date_segments`  the parts of a field for a date or a time that an element is, is in, holds or labels: `id`, `next_id`.
    Response: `segments`, a list of `id`, `kind` (`year|month|day|hour|minute|second|half`, or empty) and `disabled`;
    `text`, what the field shows; `next_id`.

`range_value`  set the `value` of a native range, also of one that a widget draws over; with `short`, to the step beside
    it. Response: as `slider`.

`calendar`   the calendar of one month or several that is nearest to an element: `id`, `date` (`2026-12-24`), `next_id`;
    `timeout`: resolves, at most so many ms later, when there is one, whose `key` is not `unlike`, and `first` not
    `after`. Response: `calendar`, null or `key` (the number of its first day), `floating` (whether it lies over the
    page, or around the element), `first` and `last` (the months that it shows, `2026-12`, null if unreadable), `day`
    (the number of the day of `date`, null if not shown) and whether it is `disabled`, `forward` and `backward` (numbers
    of buttons, the likely ones first), `month_option` and `year_option` (`id` and `value` for `select`) and
    `year_field`, null if useless, `confirm` (a button, or null), `time` (if the request has a `time`, `14:30`: null, or
    what is to be done for it, rows of `id` with `text` to type, `value` to select, or neither to press); `opener`, the
    number of a button beside the element that may open one, or null; `in_dialog`; `next_id`.

`date_limits`  whether a native field accepts its value: `id`. Response: `valid`, `min`, `max`, `message`.

`options`    the options of a list that the page built itself, which belongs to an element: `id`, `text` (the wanted
    one; a `…` at its end stands for the rest), `next_id`; `mark` true: what appears later may be the list.
    Response: `match`, null or the option that fits best: `id`, `text`, `tier` (`exact|case|prefix|contains`), `others`
    (texts that fit as well), `disabled`, `selected` (as one of several), `chosen` (another press takes it away);
    `texts` (the first dozen), `count`, `last`; `typing`, the number of the field that filters them, and `scroller`, of
    the box that scrolls them, or null; `text_field`, whether the element takes text and says nothing of a list;
    `in_dialog`; `next_id`.

`select_widget`  what the page shows in the place of a hidden `select`, or beside a label: `id`, `next_id`. Response:
    `widget`, a number or null, `next_id`.

`scrollers`  the boxes that scroll up and down: the page first, then the largest; with `id`, those in an element or
    around it. `next_id`. Response: `scrollers`, each `id`, `x`, `y`, `max_x`, `max_y`; `next_id`.

`scroll_to`  scroll the box `id` to `y`, or not at all without it. Response: `scroll`, `screen` (its height).

`captcha`    which captchas the documents of this scanner have (`js/captcha.js`). `next_id` as above.
    Response: `captchas`, each with `kind`, `sitekey` (or null), `solved` (null if unknown), `answer` (a selector of the
    fields for its answer, or null), `id` and `box` of its visible element (or null); of `recaptcha` also
    `version` `v2|v3`, `enterprise`, `invisible`; of a `picture` also `field`, the number of the field for its letters
    (or null); `next_id`.

`pointer`    the mouse for browsers without trusted input: events at a point of this frame's viewport, and the browser's
    default actions for them: focus, cursor and selection, an option of an open list, a slider, links and forms,
    HTML drag and drop.
    `kind` `move|click|down|up|cancel|wheel|tap`, `x`, `y`, `button` `left|right|middle`, `count` (of `click`),
    `modifiers` (`control`, `shift`, `alt`, `meta`), `dx` and `dy` (of `wheel`). After `down`, `move` drags until `up`,
    or `cancel`, which drops nothing; with `captured` the point belongs to this frame, whatever is there.
    Response: `frame`, null, or, if the point is in a frame that this scanner can't read and nothing was done, its
    number for the very next command, with `x` and `y` in its viewport; `opened`, the URLs of links into new tabs,
    which scripts must not open and which were prevented; `chooser`, whether a field requested files, which scripts
    can't provide.

`keys`       the keyboard for browsers without trusted input; each event goes to the element focused at that moment.
    `events`, each with `kind` `down|up` and `key`, `code`, `key_code`, `location`, `modifiers`, `text` (the typed
    text), `repeat`, `command` (its editing command, such as `selectAll`), or with `kind` `insert` and `text` alone. A
    key has its default action if a script can perform that: it types, erases, moves the cursor and selects, moves the
    focus (tab), submits the form (enter), presses buttons and boxes, chooses options and radio buttons, moves sliders,
    closes dialogs (escape), scrolls. Not: the clipboard, a select's own window, shortcuts of the browser itself.
    Response: `done`, how many events were processed; `frame`, the number of the frame that has the focus and gets the
    rest, or null; `missing`, `clipboard` if the last one was for that; `opened`, `chooser` as above.

`popups`     the layers over the page that a person would close, the topmost first: dialogs, cookie banners, and small
    boxes that float over the page and have a button that closes them. `kind` `popup` (all, the default), `modal`
    (without cookie banners) or `banner` (those alone); with `text`, those that say it. `next_id` as for `scan`.
    Response: `layers` (rows of `PopupData`), `next_id`.
`popup_open`  whether the layer `index` of the last `popups` is still there, or was rendered anew. Response: `open`.

`reaction`   the page's reaction to a query in the field `id` and the key or button that starts the search. `stage`
    `watch` (from now on), `arm` (before the key; `restless` true: the page changes by itself, and previous changes no
    longer count), `report` (with `end` for the last time). The field itself and its suggestions don't count.
    Response of `report`: `typed` and `reacted`, whether the page changed before `arm` and since; `submitted`, whether a
    form was submitted since; `requested`, whether scripts have sent new network requests.

`watch`      later changes of the page's text are those since now. `acting` (default true): an action follows; what
    changes otherwise changes by itself. Response: `mutated`, whether the document has changed
    since its last scan without a filter; `texts` (rows of `TextChange`), those since the last report;
    `visible_texts`, the texts of the top document for `former` below, or null if they are too many.

`changed_texts`  the changes of the page's text since `watch`, however often it is queried; in a document that was not
    watched, its alerts, status messages and first heading, or else its first texts. `former`: the `visible_texts` of
    the same address before; then its alerts, status messages and differences, unless most differs. What comes in the
    next `acting` milliseconds (default 0) is still the action's. Response: `texts`, `feeding`. Text of controls and of
    editors is left out, and so is text in a place that changes again and again without an action. `feeding` (also of
    `watch`): elements may change so, too.
`feed_elements`  which elements change without an action, of those that have come (`came`), gone (`went`) or changed
    (`changed`), as lists of ids. Elements in the same item (a row of a log) as `subject` are none of these.
    Response: `elements`.

`storage`    `area` `local|session`, `action` `list|get|set|delete|clear`, `key`, `value`. Response: `entries` |
    `value`.

Besides `globalThis.__oryn_scanner(requestJson)` the bundle defines, in the same world, `globalThis.__oryn_element(id)`:
the element numbered `id` (also of a same-origin frame), or null. Backends pass that object to the browser if its own
protocol needs one: for the frame of an `<iframe>`, and the files of a file input.

Numbers of elements outside a `scan` never disturb those of a scan. `get_text` also takes `id`, and without `id` or
`selector` it is the page.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

PROTOCOL_VERSION = "1.1"

ElementType = Literal["input", "button", "link", "select", "textarea", "checkbox", "radio", "generic"]
Role = str
Modifier = Literal[
    "required", "disabled", "readonly", "hidden", "primary", "checked", "unchecked", "expanded", "selected", "pressed",
    "mixed", "current", "ascending", "descending", "invalid", "active", "focused", "revealed",
]  # fmt: skip
"""The modifiers of seed 003, and the states of toggles, tabs, menus, sorted columns and fields. `active` comes from a
class alone, and a `revealed` password can be read on the screen."""

ELEMENT_FIELDS = ("tag", "selector", "xpath", "rect", "attributes", "state", "options", "value", "frame")
OBSERVE_FIELDS = ("options", "value")
FIND_FIELDS = ("tag", "state", "value")


class RectData(TypedDict):
    x: float
    y: float
    width: float
    height: float


class StateData(TypedDict):
    visible: bool
    enabled: bool
    focused: bool
    checked: bool | None
    value: str | None
    in_viewport: bool


class OptionsData(TypedDict):
    """A select's options: the first dozen texts and the count of all."""

    first: list[str]
    count: int


class TargetMatch(TypedDict):
    """The reasons for a match, and the data for its ranking (intent-language §3)."""

    tier: Literal["exact", "case", "contains"]
    """How the text matches; `exact` for ids, roles, selectors and points."""
    source: str
    """The matching part: `name`, `text`, `label`, `placeholder`, `title`, `value`, `attribute` (name or id), `role`,
    `id`, `selector`, `point`."""
    excess: int
    """Characters of that text beyond the wanted ones."""
    interactive: bool
    drawn_by_label: bool
    """It is a check box or radio button that is invisible itself, with a visible label."""
    in_dialog: bool
    """Whether it is inside the topmost open dialog; true if no dialog is open."""
    distance: NotRequired[float]
    """Under a relation: pixels for `near`, size of the common container for `inside`/`contains`, steps in document
    order for the others."""


class ElementData(TypedDict):
    id: int
    type: ElementType
    role: Role
    text: str
    modifiers: list[Modifier]
    tag: NotRequired[str]
    selector: NotRequired[str]
    xpath: NotRequired[str]
    rect: NotRequired[RectData]
    attributes: NotRequired[dict[str, str]]
    state: NotRequired[StateData]
    options: NotRequired[OptionsData]
    value: NotRequired[str]
    """The value of a field, if it is not empty; never a password's."""
    frame: NotRequired[str]
    """Selector of the same-origin frame that contains the element."""
    match: NotRequired[TargetMatch]


class TreeNode(TypedDict):
    """One row of a `tree`."""

    depth: int
    """0 for nodes at the top level of the page."""
    role: str
    """An ARIA role; `text` for text between nodes; `generic` for an interactive element without a role."""
    name: NotRequired[str]
    text: NotRequired[str]
    """The text of a `text` node, or of a node with only text inside."""
    ref: NotRequired[int]
    """The reference, if the node is a useful target: an interactive element, or one with a name."""
    level: NotRequired[int]
    states: NotRequired[list[str]]
    """`checked` `unchecked` `mixed` `expanded` `collapsed` `selected` `pressed` `current` `ascending` `descending`
    `required` `disabled` `readonly` `invalid` `busy` `multiple` `focused`, and the type of an input that is not plain
    text."""
    value: NotRequired[str]
    options: NotRequired[OptionsData]
    frame: NotRequired[int]
    """The number of a frame element whose document this scanner can't read: query the scanner of that frame."""


class PopupCloser(TypedDict):
    id: int
    name: str


class PopupData(TypedDict):
    """A layer over the page that a person would close."""

    index: int
    mark: str
    """The same for a layer that was rendered anew at its place."""
    title: str
    """What it is called, or the beginning of what it says."""
    cookie: bool
    close: list[PopupCloser]
    """The buttons that close or refuse it, the plainest first. None of them accepts, buys or signs up."""
    buttons: list[str]
    """Names of its first four buttons."""
    outside: PopupPoint | None
    """A point of this frame's viewport where a press reaches its backdrop, or the bare page beside it."""


class PopupPoint(TypedDict):
    x: float
    y: float


class TextChange(TypedDict):
    """A unit of text (a paragraph, a list item, a row of a table) that has changed."""

    change: Literal["new", "changed", "gone"]
    kind: Literal["alert", "status", "heading", "text", "order", "image"]
    """What it is by roles, live regions or classes; a message that describes an invalid field is an `alert`. `order`
    has the first of the texts that stand in another order than before; `image` has the name of a picture."""
    text: str


class ScannerTiming(TypedDict):
    ms: float


class ScannerResponse(TypedDict):
    ok: bool
    data: NotRequired[dict[str, Any]]
    error: NotRequired[str]
    code: NotRequired[str]
    timing: NotRequired[ScannerTiming]
