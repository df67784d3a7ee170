"""Branches as text that people can read, paste into a mail, and paste back.

One line a hyperparameter; it says everything, so that a mail may lose the indentation, put "> " in
front or wrap the lines::

    kernel: choice linear, rbf, poly; default rbf; sets svm.kernel
      C: number 1e-5 … 100000, log; default 1; only if kernel is rbf or poly
      degree: whole number 1 … 10; default 3; only if kernel is poly and C at least 10

A value with what it governs begins with ``value rbf of kernel``. The words are English in every
language, since the text is exchanged.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.errors import SpaceError
from studio.gui.pages.space.branch_words import (
    Token,
    at_line,
    cut,
    name_word,
    tokens,
    value_of,
    value_word,
)
from studio.gui.pages.space.texts import number_text, parse_range
from studio.space.base import UNSET, Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from studio.space.ranges import Float, Integer
from studio.trial import Value

_STEP = "  "
_HEAD = re.compile(r'("(?:[^"\\]|\\.)*"|[^\s:;,"]+)\s*:|value\s')
_QUOTE_MARKS = re.compile(r"^(?:\s*[>|])*\s*")
_KINDS = "number, whole number, choice, ordered choice, yes or no, fixed"


@dataclass(frozen=True)
class Branches:
    """What a text says.

    Attributes
    ----------
    parameters : tuple of Parameter
        With their rules, parents first as they stood.
    value : tuple of (str, Value) or None
        The choice and its value that the branch hangs on, where one was copied.
    """

    parameters: tuple[Parameter, ...]
    value: tuple[str, Value] | None = None


# ---- writing


def branch_text(branches: Branches, levels: Sequence[int] = ()) -> str:
    """Write branches.

    Parameters
    ----------
    branches : Branches
        What to write.
    levels : sequence of int
        How far each line is indented; for the eye only.
    """
    lines = []
    if branches.value is not None:
        name, value = branches.value
        lines.append(f"value {value_word(value)} of {name_word(name)}")
    depths = list(levels) or [0] * len(branches.parameters)
    for parameter, depth in zip(branches.parameters, depths, strict=True):
        lines.append(_STEP * depth + parameter_text(parameter))
    return "".join(f"{line}\n" for line in lines)


def parameter_text(parameter: Parameter) -> str:
    """Write one hyperparameter as a line without indentation."""
    parts = [f"{name_word(parameter.name)}: {_kind_text(parameter)}"]
    if not isinstance(parameter, Constant) and parameter.first() is not None:
        parts.append(f"default {value_word(parameter.first())}")
    if parameter.sets != parameter.name:
        parts.append(f"sets {name_word(parameter.sets)}")
    if parameter.conditions:
        parts.append(f"only if {' and '.join(rule_words(rule) for rule in parameter.conditions)}")
    if parameter.note:
        parts.append(f"note {json.dumps(parameter.note, ensure_ascii=False)}")
    return "; ".join(parts)


def _kind_text(parameter: Parameter) -> str:
    if isinstance(parameter, Float | Integer):
        word = "number" if isinstance(parameter, Float) else "whole number"
        ends = f"{number_text(parameter.low)} … {number_text(parameter.high)}"
        return f"{word} {ends}{', log' if parameter.log else ''}"
    if isinstance(parameter, Boolean):
        return "yes or no"
    if isinstance(parameter, Constant):
        return f"fixed {value_word(parameter.value)}"
    assert isinstance(parameter, Categorical)
    word = "ordered choice" if isinstance(parameter, Ordinal) else "choice"
    return f"{word} {', '.join(value_word(value) for value in parameter.choices)}".strip()


def rule_words(rule: Condition) -> str:
    """Write a rule: "kernel is rbf or poly", "C from 1 to 10", "C at least 10"."""
    parts = [name_word(rule.parent)]
    if rule.values is not None:
        parts.append(f"is {' or '.join(value_word(v) for v in rule.values) or 'nothing'}")
    if rule.low is not None and rule.high is not None:
        parts.append(f"from {number_text(rule.low)} to {number_text(rule.high)}")
    elif rule.low is not None:
        parts.append(f"at least {number_text(rule.low)}")
    elif rule.high is not None:
        parts.append(f"at most {number_text(rule.high)}")
    elif rule.values is None:
        parts.append("is active")
    return " ".join(parts)


# ---- reading


def read_branches(text: str) -> Branches:
    """Read what :func:`branch_text` writes, also after a mail has wrapped or quoted it.

    Raises
    ------
    SpaceError
        Says in which line what was expected instead of what.
    """
    value: tuple[str, Value] | None = None
    parameters: list[Parameter] = []
    for statement, lines in _statements(text):
        reader = _Reader(tokens(statement, lines), lines[0][1])
        if not reader.end and reader.next.raw == "value" and not reader.follows(":"):
            if parameters or value is not None:
                raise at_line(reader.line, "“value … of …” can stand in the first line only")
            reader.take("value")
            given = value_of(reader.word("the value"))
            reader.take("of")
            value = (reader.word("the name of the choice").text, given)
            reader.finish()
        else:
            parameters.append(_parameter(reader))
    if value is None and not parameters:
        raise SpaceError(
            "There is no hyperparameter in the text; a line such as “C: number 0.1 … 10” is one."
        )
    return Branches(tuple(parameters), value)


def _statements(text: str) -> list[tuple[str, list[tuple[int, int]]]]:
    """Put wrapped lines together: a line that begins no hyperparameter goes on with the last."""
    found: list[tuple[str, list[tuple[int, int]]]] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        bare = _QUOTE_MARKS.sub("", line).rstrip()
        if not bare or bare.startswith("#"):
            continue
        # A wrap may fall within quotes; then what looks like a beginning is none.
        within = bool(found) and _open(found[-1][0])
        if found and (within or not _HEAD.match(bare)):
            before, lines = found[-1]
            found[-1] = (f"{before} {bare}", [*lines, (len(before) + 1, number)])
        else:
            found.append((bare, [(0, number)]))
    return found


def _open(text: str) -> bool:
    return re.sub(r"\\.", "", text).count('"') % 2 == 1


@dataclass
class _Reader:
    """Takes one word after the other."""

    words: list[Token]
    line: int
    at: int = field(default=0)

    @property
    def end(self) -> bool:
        return self.at >= len(self.words)

    @property
    def next(self) -> Token:
        return self.words[self.at]

    def follows(self, mark: str) -> bool:
        """Say whether a mark comes after the next word."""
        return self.at + 1 < len(self.words) and self.words[self.at + 1].raw == mark

    def has(self, *raws: str) -> bool:
        """Take these words if they come next."""
        coming = [word.raw.lower() for word in self.words[self.at : self.at + len(raws)]]
        if coming != list(raws):
            return False
        self.at += len(raws)
        return True

    def take(self, *raws: str) -> None:
        if not self.has(*raws):
            raise self.wrong(f"“{' '.join(raws)}”")

    def word(self, what: str) -> Token:
        if self.end or (not self.next.quoted and self.next.raw in {":", ";", ",", "…"}):
            raise self.wrong(what)
        self.at += 1
        return self.words[self.at - 1]

    def until(self, *raws: str) -> list[Token]:
        """Take all words up to one of these."""
        start = self.at
        while not self.end and self.next.raw not in raws:
            self.at += 1
        return self.words[start : self.at]

    def finish(self) -> None:
        if not self.end:
            raise self.wrong("the end of the line or “;”")

    def wrong(self, expected: str) -> SpaceError:
        """Make the error for what comes next."""
        if self.end:
            line = self.words[-1].line if self.words else self.line
            return at_line(line, f"expected {expected}, but the line ends")
        return at_line(self.next.line, f"expected {expected}, found {cut(self.next.raw)}")


def _parameter(reader: _Reader) -> Parameter:
    name = reader.word("a name").text
    reader.take(":")
    kind, own = _kind(reader)
    line = reader.line
    while not reader.end:
        reader.take(";")
        if reader.has("default"):
            own["default"] = value_of(reader.word("the default"))
        elif reader.has("sets"):
            own["sets"] = reader.word("what it sets").text
        elif reader.has("note"):
            own["note"] = reader.word("the remark in quotes").text
        elif reader.has("only", "if"):
            own["conditions"] = _rules(reader)
        else:
            raise reader.wrong("“default”, “only if”, “sets” or “note”")
    if own.get("default", UNSET) is not UNSET:
        _check_default(kind, own["default"], line)
    made: Parameter = kind(name, **own)
    return made


def _check_default(kind: type[Parameter], value: Value, line: int) -> None:
    numbers = issubclass(kind, Float | Integer)
    whole = kind is Integer and not (isinstance(value, int | float) and value == value // 1)
    if numbers and (isinstance(value, bool | str) or whole):
        raise at_line(line, f"the default {cut(str(value))} is no {kind.title.lower()}")
    if kind is Boolean and not isinstance(value, bool):
        raise at_line(line, f"the default {cut(str(value))} is neither yes nor no")
    if kind is Constant:
        raise at_line(line, "a fixed value has no default")


def _kind(reader: _Reader) -> tuple[Any, dict[str, Any]]:
    if reader.has("yes", "or", "no"):
        return Boolean, {}
    if reader.has("fixed"):
        return Constant, {"value": value_of(reader.word("the value"))}
    if reader.has("whole", "number"):
        return Integer, _range(reader, Integer("x", 0, 1))
    if reader.has("number"):
        return Float, _range(reader, Float("x", 0, 1))
    for raws, made in ((("ordered", "choice"), Ordinal), (("choice",), Categorical)):
        if reader.has(*raws):
            return made, {"choices": _values(reader)}
    raise reader.wrong(f"what kind it is ({_KINDS})")


def _range(reader: _Reader, kind: Float | Integer) -> dict[str, Any]:
    line = reader.next.line if not reader.end else reader.line
    given = reader.until(",", ";")
    try:
        low, high = parse_range(kind, " ".join(token.raw for token in given))
    except SpaceError as error:
        raise at_line(line, str(error).rstrip(".")) from None
    log = reader.has(",", "log")
    if not log:
        reader.has(",", "linear")
    if isinstance(kind, Integer):
        low, high = int(low), int(high)
    return {"low": low, "high": high, "log": log}


def _values(reader: _Reader) -> tuple[Value, ...]:
    found: list[Value] = []
    while not reader.end and (reader.next.quoted or reader.next.raw != ";"):
        if found:
            reader.take(",")
        found.append(value_of(reader.word("a value")))
    return tuple(found)


def _rules(reader: _Reader) -> tuple[Condition, ...]:
    found = [_rule(reader)]
    while reader.has("and"):
        found.append(_rule(reader))
    return tuple(found)


def _rule(reader: _Reader) -> Condition:
    name = reader.word("the name of a hyperparameter").text
    values: tuple[Value, ...] | None = None
    start = reader.at
    if reader.has("is", "active"):
        return Condition(name)
    if reader.has("is", "nothing"):
        values = ()
    elif reader.has("is"):
        given = [value_of(reader.word("a value"))]
        while reader.has("or") or reader.has(","):
            given.append(value_of(reader.word("a value")))
        values = tuple(given)
    low = high = None
    if reader.has("from"):
        low = _bound(reader)
        reader.take("to")
        high = _bound(reader)
    elif reader.has("at", "least"):
        low = _bound(reader)
    elif reader.has("at", "most"):
        high = _bound(reader)
    elif start == reader.at:
        raise reader.wrong("“is …”, “from … to …”, “at least …” or “at most …”")
    return Condition(name, values, low, high)


def _bound(reader: _Reader) -> float:
    token = reader.word("a number")
    number = value_of(token)
    if isinstance(number, bool | str):
        raise at_line(token.line, f"expected a number, found {cut(token.raw)}")
    return number
