"""What was decided about the table of a data set, in words."""

from collections.abc import Collection, Iterable

from studio.data.row_facts import ROW_ROLES
from studio.gui.session.wording import TASK_WORDS
from studio.language import ntr, tr, translate
from studio.printable import printable
from studio.runs.settings import TableChoices


def decided(choices: TableChoices) -> list[str]:
    """Say in short what was decided: "1 left out", "2 constrained"."""
    left_out, kept = _with_role(choices, "ignore"), _with_role(choices, "feature")
    counts: list[tuple[Collection[str], str]] = [
        (left_out, ntr("{count} left out", "{count} left out", len(left_out))),
        (
            choices.monotone,
            ntr("{count} constrained", "{count} constrained", len(choices.monotone)),
        ),
        (kept, ntr("{count} kept", "{count} kept", len(kept))),
        (choices.kinds, ntr("{count} kind chosen", "{count} kinds chosen", len(choices.kinds))),
        (choices.treatments, ntr("{count} treated", "{count} treated", len(choices.treatments))),
    ]
    found = [words for names, words in counts if names]
    titles = {"group": tr("group"), "time": tr("time"), "weight": tr("weight")}
    found += [
        tr("{role}: {names}", role=titles[role], names=_listed(names))
        for role in ROW_ROLES
        if (names := _with_role(choices, role))
    ]
    if choices.reading:
        found.append(tr("reading chosen"))
    if choices.task != "auto":
        found.append(translate(TASK_WORDS[choices.task]))
    return found


def decided_names(choices: TableChoices) -> str:
    """Say what was decided with the names of columns, a line each."""
    left_out, kept = _with_role(choices, "ignore"), _with_role(choices, "feature")
    rising, falling = _with_way(choices, "up"), _with_way(choices, "down")
    lines: tuple[tuple[Collection[str], str], ...] = (
        (left_out, tr("Left out: {names}", names=_listed(left_out))),
        (rising, tr("Never lowers the answer: {names}", names=_listed(rising))),
        (falling, tr("Never raises the answer: {names}", names=_listed(falling))),
        (kept, tr("Kept as features: {names}", names=_listed(kept))),
        (choices.kinds, tr("Kind chosen: {names}", names=_listed(choices.kinds))),
        (choices.treatments, tr("Odd values treated: {names}", names=_listed(choices.treatments))),
    )
    return "\n".join(words for names, words in lines if names)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(printable, names))


def _with_role(choices: TableChoices, role: str) -> list[str]:
    return [name for name, each in choices.roles.items() if each == role]


def _with_way(choices: TableChoices, way: str) -> list[str]:
    return [name for name, each in choices.monotone.items() if each == way]
