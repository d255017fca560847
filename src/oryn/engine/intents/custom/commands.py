"""`define`, `undefine`, `intents`, `export`; `learn …`; `packs`, `pack load`, `pack unload`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import one_line, plain
from oryn.engine.definitions.library import FoundIntent
from oryn.engine.definitions.loader import definition_of_lines, read_definition
from oryn.engine.definitions.model import Definition
from oryn.engine.definitions.program_text import saved_program
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin_commands import BUILTIN, builtin_data
from oryn.engine.intents.custom.secrets import without_secrets
from oryn.engine.intents.program.command import program_text
from oryn.engine.output.answer import Answer
from oryn.errors import IntentNotFound, InvalidDefinition, PackNotFound
from oryn.language import Define, Export, Intents, Learn, LearnDiscard, LearnSave, Packs, ProgramSave, Undefine
from oryn.language import Pack as PackCommand
from oryn.language.help import spec_usage

if TYPE_CHECKING:
    from oryn.engine.definitions.library import IntentPack
    from oryn.engine.definitions.proposals import Proposal
    from oryn.engine.session import Session

MAX_DEFINITIONS = 500
"""Maximum number of intents that a session may define."""


@handles(Define, browser=False)
async def define(session: Session, command: Define) -> Answer:
    """Define an intent of this session. Without a body it has no steps yet: indented lines after it are its steps."""
    hidden = _shadowed(session, command.name)
    if (
        len(session.custom_intents.definitions) >= MAX_DEFINITIONS
        and command.name not in session.custom_intents.definitions
    ):
        raise InvalidDefinition(f"a session may define {MAX_DEFINITIONS} intents", "Undefine one of them.")
    definition = definition_of_lines(command.name, command.body)
    session.custom_intents.definitions[command.name] = definition
    notes = [f"it takes precedence over the one of {hidden.origin}"] if hidden else []
    if command.name in BUILTIN:
        notes.append("it takes precedence over the built-in one")
    return Answer(lines=[_describe(definition)], notes=notes, data=definition.data)


def _shadowed(session: Session, name: str) -> FoundIntent | None:
    """Return the intent of another origin over which one of the session takes precedence."""
    if name in session.custom_intents.definitions:
        return None
    try:
        return session.custom_intents.find(name, session.page_url)
    except InvalidDefinition:
        return None


def _describe(definition: Definition) -> str:
    if definition.program is not None:
        return f"a program: {definition.usage}"
    steps = len(definition.steps)
    if not steps:
        return "no steps yet: indented lines after it are its steps"
    return f"{steps} step{'s' if steps > 1 else ''}: {definition.usage}"


@handles(Undefine, browser=False)
async def undefine(session: Session, command: Undefine) -> Answer:
    own, url = session.custom_intents, session.page_url
    if command.name not in own.definitions:
        found = own.find(command.name, url)
        if found is not None and found.origin == "file":
            raise IntentNotFound(f"{command.name} is defined in a file", "Remove the file to forget it.")
        if found is not None:
            hint = f"Run 'pack unload {found.origin.removeprefix('pack ')}'."
            raise IntentNotFound(f"{command.name} is of {found.origin}", hint)
        raise IntentNotFound(f"this session has defined no {command.name}", "Run 'intents --session' to see its own.")
    del own.definitions[command.name]
    behind = own.find(command.name, url)
    return Answer(notes=[f"{command.name} is the one of {behind.origin} again"] if behind else [])


@handles(Intents, browser=False)
async def intents(session: Session, command: Intents) -> Answer:
    """List the intents that `run` accepts on this page, one a line: usage, origin, description."""
    rows: dict[str, dict[str, Any]] = {}
    for found in session.custom_intents.all(session.page_url):
        if found.origin == "session" or not command.session:
            definition = found.definition
            row = {
                "name": definition.name,
                "usage": definition.usage,
                "from": found.origin,
                "description": definition.description,
            }
            rows.setdefault(definition.name, row)
    if not command.session:
        for name, builtin in BUILTIN.items():
            row = {
                "name": name,
                "usage": spec_usage(builtin.spec),
                "from": "built in",
                "description": builtin.spec.help,
            }
            rows.setdefault(name, row)
    lines = [f"{row['usage']}  ({row['from']}) {plain(row['description'])}".rstrip() for row in rows.values()]
    notes = [] if command.session else [
        one_line(problem.message) for problem in session.custom_intents.library.intents().problems.values()
    ]  # fmt: skip
    return Answer(lines=lines or ["none"], notes=notes, data=list(rows.values()))


@handles(Export, browser=False)
async def export(session: Session, command: Export) -> Answer:
    """Return an intent as YAML. A built-in one becomes an equivalent definition; credentials become parameters."""
    found = session.custom_intents.find(command.name, session.page_url)
    data = without_secrets(found.definition) if found else builtin_data(command.name)
    if data is None:
        is_builtin = command.name in BUILTIN
        message = f"{command.name} is built in and has no definition" if is_builtin else f"no intent {command.name}"
        raise IntentNotFound(message, "Define your own of that name." if is_builtin else None)
    text = session.custom_intents.library.write(data)
    if command.output is None:
        return Answer(block=text.rstrip("\n"), data=data)
    path = session.files.write_bytes(command.output, text.encode("utf-8", "replace"), overwrite=command.overwrite)
    return Answer(lines=[f"saved {path}"], data={"path": str(path)})


@handles(ProgramSave, browser=False)
async def program_save(session: Session, command: ProgramSave) -> Answer:
    """Save a program as one of the user's intents: the last one that has ended well, or another text."""
    if command.path is not None or command.text is not None:
        text, secrets = program_text(session, command), frozenset[str]()
    elif session.programs.ended:
        last = session.programs.ended[-1]
        text, secrets = last.text, last.secrets
    else:
        raise IntentNotFound("no program of this session has ended well", "Run one first, or name a file.")
    definition = read_definition(saved_program(command.name, text, secrets))
    path = session.custom_intents.library.save(definition)
    return Answer(
        command=f"program save {command.name}" if command.text is not None else "",
        lines=[f"saved {path}", definition.usage],
        data={"path": path, "usage": definition.usage},
    )


@handles(Learn, browser=False)
async def learn(session: Session, command: Learn) -> Answer:
    proposals = _proposals(session)
    if command.action == "status":
        rows = [{"name": each.name, "steps": each.steps, "seen": each.seen} for each in proposals]
        lines = [
            f"{each.name}: {f'{each.steps} steps' if each.steps else 'a program'}, seen {each.seen} times"
            for each in proposals
        ]
        watched = len(session.history.commands)
        return Answer(
            lines=[
                f"{len(proposals)} proposal{'' if len(proposals) == 1 else 's'}, {watched} commands watched",
                *lines,
            ],
            data={"proposals": rows, "commands": watched},
        )
    if not proposals:
        return Answer(lines=["no proposals"], data=[])
    texts = [session.custom_intents.library.write(each.data).rstrip("\n") for each in proposals]
    return Answer(block="\n---\n".join(texts), data=[each.data for each in proposals])


@handles(LearnSave, browser=False)
async def learn_save(session: Session, command: LearnSave) -> Answer:
    """Save a proposal by its own name. If there is only one, it may be saved by any name."""
    proposals = _proposals(session)
    chosen = next((each for each in proposals if each.name == command.name), None)
    if chosen is None:
        chosen = _only_proposal(proposals, command.name)
    definition = read_definition({**chosen.data, "name": command.name})
    path = session.custom_intents.library.save(definition)
    session.custom_intents.proposals.discard(chosen)
    return Answer(lines=[f"saved {path}", definition.usage], data={"path": path, "usage": definition.usage})


def _only_proposal(proposals: list[Proposal], name: str) -> Proposal:
    if len(proposals) == 1:
        return proposals[0]
    if not proposals:
        raise IntentNotFound("nothing was learnt yet", "What is done twice on pages of one kind becomes a proposal.")
    names = ", ".join(each.name for each in proposals)
    raise IntentNotFound(
        f"which proposal is to be {name}?", f"There are {names}: save one by its name, or discard the others."
    )


@handles(LearnDiscard, browser=False)
async def learn_discard(session: Session, command: LearnDiscard) -> Answer:
    proposals = _proposals(session)
    chosen = [each for each in proposals if command.name in (None, each.name)]
    if not chosen and command.name is not None:
        names = ", ".join(each.name for each in proposals)
        raise IntentNotFound(f"no proposal {command.name}", f"Proposals: {names}." if names else "There are none.")
    for each in chosen:
        session.custom_intents.proposals.discard(each)
    return Answer(lines=[f"{len(chosen)} dropped"], data=[each.name for each in chosen])


def _proposals(session: Session) -> list[Proposal]:
    return session.custom_intents.proposals.current(list(session.history.sequence), list(session.programs.ended))


@handles(Packs, browser=False)
async def packs(session: Session, command: Packs) -> Answer:
    """List the packs with their states: not loaded, loaded, or active on this page."""
    rows = [
        {
            "name": pack.name, "version": pack.version, "state": _pack_state(session, pack),
            "intents": sorted(pack.folder.definitions), "description": pack.description, "urls": list(pack.urls),
        }
        for pack in session.custom_intents.library.packs().values()
    ]  # fmt: skip
    lines = [
        f"{row['name']} {plain(str(row['version']))}  ({row['state']}) {plain(str(row['description']))}".rstrip()
        for row in rows
    ]
    problems = [
        one_line(f"{pack.name}: {problem.message}")
        for pack in session.custom_intents.library.packs().values()
        for problem in pack.folder.problems.values()
    ]
    return Answer(lines=lines or ["none"], notes=problems, data=rows)


def _pack_state(session: Session, pack: IntentPack) -> str:
    if pack.name not in session.custom_intents.loaded:
        return "not loaded"
    return "active here" if pack.matches(session.page_url) else "loaded, not for this page"


@handles(PackCommand, browser=False)
async def pack(session: Session, command: PackCommand) -> Answer:
    """Load or unload a pack for this session. If two packs have the same name, the one loaded last takes precedence."""
    loaded = session.custom_intents.loaded
    if command.action == "unload":
        if command.name not in loaded:
            raise PackNotFound(f"no pack {command.name} is loaded", f"Loaded: {', '.join(loaded) or 'none'}.")
        loaded.remove(command.name)
        return Answer()
    found = session.custom_intents.pack(command.name)
    if found.name in loaded:
        loaded.remove(found.name)
    loaded.append(found.name)
    return Answer(lines=[f"{_pack_state(session, found)}: {', '.join(sorted(found.folder.definitions))}"])
