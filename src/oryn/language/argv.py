"""The words of a command line as a line of the language: the shell has taken the quotes away that the language wants.

click "Sign in"      →  ["click", "Sign in"]      →  click "Sign in"
type 3 '--force'     →  ["type", "3", "--force"]  →  type 3 "--force"

What a word is depends on its place. Where a text belongs, the word is that text, whatever stands in it, so that a
script may put there what it got from elsewhere. Everywhere else a word that is an option of the command is that option,
and a word in the place of a target is one as in a line, or else the text of an element. The outcome is a line, so there
is one parser and one set of checks; nothing of a word gets into it but in quotes, or as what it was read as.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from oryn.errors import LanguageError, MissingArgument, UnexpectedInput
from oryn.language.command import Argument, CommandSpec, Option
from oryn.language.kinds import TARGET, String, Words
from oryn.language.line import Line, parse
from oryn.language.strings import quote, shorten
from oryn.language.targets import RELATIONS, Css
from oryn.language.tokens import Cursor
from oryn.language.usage import usage
from oryn.language.vocabulary import LINES, Verb, doors
from oryn.language.word_text import bare_or_quoted, text_of

TARGETS = ("ref", "selector")
"""Options that are a target, for commands that have none of that name."""
_OPTION = re.compile(r"--?([^\W\d][\w-]*)(?:=(.*))?", re.DOTALL)


class Said(NamedTuple):
    """A line, and the options among its words that are the door's own and not the command's, with their values."""

    line: str
    options: dict[str, str]


def line_of_words(words: Sequence[str], door: Mapping[str, bool] | None = None) -> Line:
    """The line that the words of a command line mean, the door's own options (`said`) left out. Raises
    `LanguageError`."""
    try:
        return parse(said(words, door).line, doors())
    except LanguageError as error:
        error.position = None  # in the line that was made, which nobody has seen
        raise


def said(words: Sequence[str], door: Mapping[str, bool] | None = None) -> Said:
    """What the words say. `door` are the door's own options, and whether they take a value: they count where the
    command has none of that name. Raises `LanguageError`; what is wrong with the line itself, its parser says."""
    if not words:
        raise MissingArgument("the command is missing", "help lists the commands")
    reader = _WordReader(words, door or {})
    return Said(reader.line(), reader.found)


class _WordReader:
    """Reads words from left to right; `line` once."""

    def __init__(self, words: Sequence[str], door: Mapping[str, bool]) -> None:
        self.words = list(words)
        self.door = door
        self.found: dict[str, str] = {}
        self.parts: list[str] = []
        self.spec: CommandSpec | None = None
        self.next = 0
        """The first argument that is not yet passed."""
        self.begun = False
        """Whether that one has a value already, and takes more."""
        self.after_target = False
        self.swallowed: str | None = None
        """A text that is also the name of an option: perhaps it was meant as one."""

    def line(self) -> str:
        self._session()
        verb = self._verb()
        if verb is None:
            return " ".join((*self.parts, *map(bare_or_quoted, self.words)))
        if verb.name == "define":
            return self._definition()
        self.spec = verb.only
        while self.words:
            self._step(verb)
        return " ".join(self.parts)

    # --- what stands before the arguments ---

    def _session(self) -> None:
        """Take `@name`, or `session name` where a command follows."""
        first = self.words[0]
        if first.startswith("@"):
            self.parts.append(f"@{bare_or_quoted(self.words.pop(0)[1:])}")
        elif first.lower() == "session" and len(self.words) > 2 and not self.words[2].startswith("-"):
            if self.words[1].lower() not in LINES.verbs["session"].chosen:
                self.parts += [self.words.pop(0), bare_or_quoted(self.words.pop(0))]

    def _verb(self) -> Verb | None:
        words = [word.lower() for word in self.words[:2]]
        count = 2 if tuple(words) in doors().phrases else 1
        verb = doors().find(*words[:count]) if words else None
        if verb is not None:
            self.parts += words[:count]
            del self.words[:count]
        return verb

    def _definition(self) -> str:
        """`define "next:" "click Next"`: every word behind the name is a line of its body."""
        if not self.words:
            return " ".join(self.parts)
        name, *body = self.words
        head = f"{' '.join(self.parts)} {name if name.endswith(':') else f'{name}:'}"
        return "\n  ".join((head, *(line for each in body for line in each.split("\n"))))

    # --- arguments and options ---

    def _step(self, verb: Verb) -> None:
        argument = self._required()
        if argument and isinstance(argument.kind, String) and not self._is_relation():
            self._take_text(argument)
            return
        if self._option(verb):
            return
        if self.spec is None:
            self._choose(verb)
            return
        if not (self._relation() or self._argument() or self._bare_option(verb)):
            self._left_over()

    def _required(self) -> Argument | None:
        """The argument that the next word is for, if it must be given and is not yet."""
        arguments = self.spec.arguments if self.spec else ()
        argument = arguments[self.next] if self.next < len(arguments) else None
        return argument if argument and argument.required and not self.begun and not argument.lead else None

    def _choose(self, verb: Verb) -> None:
        """Find the command by the word that stands here, which is taken where it is a sub-command, or nothing."""
        word = self.words[0].lower()
        self.spec = verb.chosen.get(word) or verb.default or verb.alone
        if self.spec is None or word in self.spec.path[1:]:
            self.parts.append(bare_or_quoted(self.words.pop(0)))

    def _take_text(self, argument: Argument) -> None:
        word = self.words[0]
        match = _OPTION.fullmatch(word)
        if match and self.spec and match[1].lower() in self.spec.spellings:
            self.swallowed = word
        self._take(argument)

    def _argument(self) -> bool:
        """Take the word as the first argument that it can be."""
        assert self.spec is not None
        for index in range(self.next, len(self.spec.arguments)):
            argument = self.spec.arguments[index]
            first = index > self.next or not self.begun
            if argument.lead and first:
                if self.words[0].lower() != argument.lead:
                    return False
                self.parts.append(argument.lead)
                del self.words[0]
                if not self.words:
                    return True
            if (argument.required and first) or argument.kind.accepts(Cursor(text_of(argument.kind, self.words[0]))):
                self.next, self.begun = index, False
                self._take(argument)
                return True
        return False

    def _take(self, argument: Argument) -> None:
        word = self.words.pop(0)
        if isinstance(argument.kind, Words):
            while self.words and not _OPTION.fullmatch(self.words[0]):
                word = f"{word} {self.words.pop(0)}"
        self.parts.append(text_of(argument.kind, word))
        self.begun = argument.many
        self.next += not argument.many
        self.after_target = argument.kind is TARGET

    def _is_relation(self) -> bool:
        """Whether the word is one between two targets: enough must follow for the arguments that are still missing."""
        if not self.after_target or self.words[0].lower() not in RELATIONS or self.spec is None:
            return False
        if len(self.words) < 2 or _OPTION.fullmatch(self.words[1]):
            return False
        missing = [each for each in self.spec.arguments[self.next :] if each.required]
        return len(self.words) - 2 >= len(missing)

    def _relation(self) -> bool:
        if not self._is_relation():
            return False
        self.parts += [self.words.pop(0).lower(), text_of(TARGET, self.words.pop(0))]
        return True

    def _option(self, verb: Verb) -> bool:
        match = _OPTION.fullmatch(self.words[0])
        if match is None:
            return False
        name, value = match[1].lower(), match[2]
        option = self.spec.spellings.get(name) if self.spec else verb.option(name)
        if option is None and name in TARGETS and self._takes_target(verb):
            del self.words[0]
            self._take_target(name, self._value(value, name))
            return True
        if option is None and name in self.door:
            del self.words[0]
            self.found[name] = self._value(value, name) if self.door[name] else ""
            return True
        if self.begun and option is None and value is None:
            return False  # one more value
        del self.words[0]
        self._read_option(name, option, value)
        return True

    def _takes_target(self, verb: Verb) -> bool:
        """Whether a target can follow; where the command is not chosen yet, it is then the verb's usual one."""
        spec = self.spec or verb.default
        if spec is None or not any(each.kind is TARGET for each in spec.arguments[self.next :]):
            return False
        self.spec = spec
        return True

    def _take_target(self, name: str, value: str) -> None:
        """`--ref @e3` and `--selector .buy`, in the place of the next target (seed 004)."""
        assert self.spec is not None
        self.next = next(
            index for index in range(self.next, len(self.spec.arguments)) if self.spec.arguments[index].kind is TARGET
        )
        argument = self.spec.arguments[self.next]
        if name == "ref" and value.lower().startswith("e"):
            value = f"@{value}"
        text = str(Css(value)) if name == "selector" else text_of(TARGET, value)
        self.parts += [argument.lead, text] if argument.lead else [text]
        self.next, self.begun, self.after_target = self.next + 1, False, True

    def _bare_option(self, verb: Verb) -> bool:
        """`timeout 5s`, as a line may have it."""
        name = self.words[0].lower()
        if self.spec is None or name not in self.spec.options:
            return False
        del self.words[0]
        self._read_option(name, self.spec.options[name], None)
        return True

    def _read_option(self, name: str, option: Option | None, value: str | None) -> None:
        self.parts.append(f"--{name}")
        if option is None and not (self.spec and self.spec.open):
            return  # the parser knows which option is near
        if option is not None and option.kind is None:
            if value is not None:
                raise UnexpectedInput(f"--{name} takes no value", usage(self.spec) if self.spec else None)
        elif value is not None or self.words:
            text = value if value is not None else self.words.pop(0)
            self.parts.append(quote(text) if option is None or option.kind is None else text_of(option.kind, text))

    def _value(self, value: str | None, name: str) -> str:
        if value is None and not self.words:
            raise MissingArgument(f"--{name} needs a value")
        return self.words.pop(0) if value is None else value

    def _left_over(self) -> None:
        word = self.words.pop(0)
        if self.swallowed and self.spec:
            hint = f"{self.swallowed} was taken as the text; write options behind it: {usage(self.spec)}"
            raise UnexpectedInput(f"unexpected {shorten(word)}", hint)
        self.parts.append(bare_or_quoted(word))
