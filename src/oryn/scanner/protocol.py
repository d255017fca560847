"""The scanner protocol 1.1 (seed 003) as the engine uses it, with Oryn's additions. Standard library only.

Additions to the seed, all optional, so a caller of plain 1.1 sees no difference:

`scan`
    `fields`     list of the optional parts of an element to fill (`ELEMENT_FIELDS`); null fills all. `max_elements` 0
                 is no limit.
    `keep_ids`   true: elements still there keep their number, new ones continue from `next_id`.
    `next_id`    the first free number (frames of one page share one numbering; the engine keeps it). Default: 1 after a
                 clear, else one more than the largest in the map. Every response that may number elements returns
                 `next_id`.
    `listeners`  hints: positions, in the walk order of the page, of elements with click listeners (see `js/walk.js`),
                 with `listeners_of`, the number of elements that walk counted; ignored when the count no longer agrees.
                 Frames of the same origin share one walk, but each knows only its own listeners: unite what they say.
    Response: `page`, `elements`, `patterns`, `stats` (`total` elements found, `returned`, `scanned`), `next_id`.

`find`       everything that a target may mean, with the facts that the engine ranks by.
    `target`     a tree: `{"text": s}` `{"role": s}` `{"id": n}` `{"css": s}` `{"xpath": s}` `{"point": [x, y]}`, each
                 with an optional `"relation": {"kind": "near|inside|after|before|contains", "to": <tree>}`.
    `any`        true: text may also match elements that are not interactive (waits, relations, and the right side of
                 relations always do).
    `frames`     true: only frames count, also those of the same origin (which a scan does not list but enters).
    `keep_ids`-style numbering is always on: each match gets a number in the map (`next_id` as above).
    Response: `matches` in document order (at most 50, best tier first when cut), each an element (fields `FIND_FIELDS`)
    with `match` (`Match` below); `count`.

    A target may also be `{"reference": n}`: the node `@en` of the last `tree`.

`tree`       the accessibility tree in page order: what has a meaning there, nested as it is, with same-origin frames
    and shadow roots joined, `aria-owns` honoured, and what is hidden from assistive technology left out.
    `next_ref`   the first reference (default 1); the references of the tree before are gone. `next_id` and the
                 `listeners` hints as for `scan`.
    Response: `page`, `nodes` (rows of `TreeNode`, parents before children), `stats` (`scanned`), `next_ref`, `next_id`.

`locate`     where to press an element, after checking that it can be pressed.
    `id` | `selector`, `force` (default false), `scroll_into_view` (default true), `purpose` `click|hover|type|any`
    (default `click`). Waits (bounded by `timeout`, default 1000 ms) until a running animation of it has come to rest.
    Response: `x`, `y` (this frame's viewport), `rect`, `tag`, `type`.
    Errors: ELEMENT_NOT_VISIBLE, ELEMENT_DISABLED, ELEMENT_NOT_INTERACTABLE with `covered_by` (a short description) in
    `data`.

`prepare`    make an element ready for typed text: focus it, select its content (`clear` true) or put the cursor at its
    end. `id` | `selector`, `clear`. Response: `mode` `keys` (type with trusted keys) or `set` (`type` sets it: date,
    color, range …), `empty`.
    Errors: INVALID_ELEMENT_TYPE, ELEMENT_DISABLED (also read-only), ELEMENT_NOT_VISIBLE.

`typed`      whether `text`, sent as keys after the last `prepare` here, has come into that field. Response: `lost`;
    true where the field has lost the focus and does not hold the text, with `held` of its `length` letters and digits,
    and `place`, a short description of what has the focus now, or null; `frame`, whether that is a frame.

`insert`     put `text` into one field in a single step: what the browser, the page's timers and other frames do comes
    before or after it, never in between. `id` | `selector`, `text`, `clear` (default true), `fits` (only what a field
    of a form takes whole).
    Response: `mode` `inserted`, `set` (see `prepare`), or `keys`: not done, for `fits` did not hold; `outcome` `whole`,
    `formatted` (the field shows the same letters and digits otherwise), `limited` (by its `maxlength`), `refused` (it
    holds what it held before); `length`, characters of what it held then.
    Errors: as `prepare`, and ELEMENT_NOT_INTERACTABLE where the page moved the focus: nothing was written.

Every command takes `origin` as well: the only origin of a document that it is for (`https://a.example`). In any other,
an opaque one too, it is refused with ORIGIN_CHANGED.

`settle`     resolve when the document has been quiet: two frames without a mutation, at most `timeout` ms (default
    500).
    Response: `mutated`, `quiet`, `closed` (a script has closed the window, which takes the browser a moment).

`wait_for`   takes one more condition, `change`: resolves at the next sign that the page may look different (mutation,
    input or change event, transition or animation end, scroll, resize, load of a resource). Response as for the others.

`extract`    of `css` also takes `within`: a selector of the containers whose elements alone count.

`submit`     without `id` and `selector`, where no field has the focus, is the page's only visible form.

`select`     also takes `values`: a list of values or texts for a multiple select (each matched by value, then by text).

`scroll`     also takes `id`: the element whose nearest scrollable ancestor-or-self is scrolled, and `page`: by one
    screenful (without it and `amount`, by 0.8 of one).

`page`       the `page` part of a scan alone (URL, title, viewport, scroll, ready state), without a walk.

`get_state`  the state of one element for `is …`, `attribute`, `box`: `id`. Response: `state`, `attributes`, `rect`,
    `in_viewport`.

`boxes`      where elements are seen: `ids`, numbers of this scanner. Response: `boxes`, a list of `id`, `x`, `y`,
    `width`, `height` in this frame's viewport, as far as scrolling boxes and frames do not cut them off; what can't be
    seen at all, or lies behind an open dialog, is left out.

`annotate`   a picture with frames and numbers drawn in: `image` (base64), `format` `png|jpeg|webp` of the result,
    `width` (CSS pixels that the picture is wide), `boxes` as above, relative to the picture. Response: `image`. Nothing
    of it touches the document.

`file_input` the file input that an element is, names (a label) or holds: `id` | `selector`, `next_id`. Response:
    `input` `{id, multiple, folder, accept, disabled}` or null, `next_id`.

`captcha`    which captchas the documents of this scanner have (`js/captcha.js`). `next_id` as above.
    Response: `captchas`, each with `kind`, `sitekey` (or null), `solved` (null where nobody can tell), `answer` (a
    selector of the fields for its answer, or null), `id` and `box` of what is seen of it (or null); of `recaptcha` also
    `version` `v2|v3`, `enterprise`, `invisible`; of a `picture` also `field`, the number of the field for its letters
    (or null); `next_id`.

`pointer`    the mouse where a browser has no trusted input: events at a point of this frame's viewport, and what a
    browser does by itself for them: focus, cursor and selection, an option of an open list, a slider, links and forms,
    HTML drag and drop.
    `kind` `move|click|down|up|cancel|wheel`, `x`, `y`, `button` `left|right|middle`, `count` (of `click`), `modifiers`
    (`control`, `shift`, `alt`, `meta`), `dx` and `dy` (of `wheel`). After `down`, `move` drags until `up`, or `cancel`,
    which drops nothing; with `captured` the point is this frame's whatever lies there.
    Response: `frame` null, or, where the point lies in a frame that this scanner can't read and nothing was done, its
    number for the very next command, with `x` and `y` in its viewport; `opened`, the addresses of links into new tabs,
    which scripts may not open and the browser was kept from; `chooser`, whether a field asked for files, which the
    browser gives no script.

`keys`       the keyboard likewise, for what has the focus when each event comes. `events`, each with `kind` `down|up`
    and `key`, `code`, `key_code`, `location`, `modifiers`, `text` (what it types), `repeat`, `command` (an editing
    command that it stands for, as `selectAll`), or with `kind` `insert` and `text` alone. A key does what it does in a
    browser where a script can do that: it types, erases, moves the cursor and selects, moves the focus (tab), sends the
    form (enter), presses buttons and boxes, chooses options and radio buttons, moves sliders, closes dialogs (escape),
    scrolls. Not: the clipboard, a select's own window, what the browser itself does for a key.
    Response: `done`, how many events were taken, `frame`, the number of the frame that has the focus and gets the rest,
    or null, `missing` `clipboard` where the last one was for that; `opened`, `chooser` as above.

`reaction`   what a page does about a query in the field `id` and the key or button that starts the search. `stage`
    `watch` (from now on), `arm` (before the key; `restless` true: the page changes by itself, and what has changed so
    far counts no more), `tell`, with `end` for the last time. The field itself and its suggestions don't count.
    Response of `tell`: `typed` and `reacted`, whether the page changed before `arm` and since; `submitted`, whether a
    form was submitted since; `asked`, whether scripts have asked the network for something new.

`storage`    `area` `local|session`, `action` `list|get|set|delete|clear`, `key`, `value`. Response: `entries` |
    `value`.

Besides `globalThis.__oryn_scanner(requestJson)` the bundle defines, in the same world, `globalThis.__oryn_element(id)`:
the element numbered `id` (also of a same-origin frame), or null. Backends hand that object to the browser where its own
protocol wants one: the frame that an `<iframe>` holds, the files of a file input.

Numbers of elements outside a `scan` never disturb those of a scan. `get_text` also takes `id`, and without `id` or
`selector` it is the page.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

PROTOCOL_VERSION = "1.1"

ElementType = Literal["input", "button", "link", "select", "textarea", "checkbox", "radio", "generic"]
Role = str
Modifier = Literal["required", "disabled", "readonly", "hidden", "primary", "checked", "unchecked", "focused"]

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


class Match(TypedDict):
    """Why an element matches, and what the ranking asks about it (intent-language §3)."""

    tier: Literal["exact", "case", "contains"]
    """How the text fits; `exact` for ids, roles, selectors and points."""
    source: str
    """What fits: `name`, `text`, `label`, `placeholder`, `title`, `value`, `attribute` (name or id), `role`, `id`,
    `selector`, `point`."""
    excess: int
    """Characters of that text beyond the wanted ones."""
    interactive: bool
    in_dialog: bool
    """Inside the topmost open dialog, or true when none is open."""
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
    """What the field holds, where it is not empty; never a password's."""
    frame: NotRequired[str]
    """Selector of the same-origin frame that holds the element."""
    match: NotRequired[Match]


class TreeNode(TypedDict):
    """One row of a `tree`."""

    depth: int
    """0 for what stands in the page itself."""
    role: str
    """An ARIA role; `text` for text in between; `generic` for what can be acted on and has no role."""
    name: NotRequired[str]
    text: NotRequired[str]
    """Of `text`, and of a node that holds nothing but text."""
    ref: NotRequired[int]
    """Where a target makes sense: what can be acted on, and what has a name."""
    level: NotRequired[int]
    states: NotRequired[list[str]]
    """`checked` `unchecked` `mixed` `expanded` `collapsed` `selected` `pressed` `required` `disabled` `readonly`
    `current` `invalid` `busy` `multiple` `focused`, and the type of an input that is not plain text."""
    value: NotRequired[str]
    options: NotRequired[OptionsData]
    frame: NotRequired[int]
    """The number of a frame element whose document this scanner can't read: ask that frame's own."""


class Timing(TypedDict):
    ms: float


class Response(TypedDict):
    ok: bool
    data: NotRequired[dict[str, Any]]
    error: NotRequired[str]
    code: NotRequired[str]
    timing: NotRequired[Timing]
