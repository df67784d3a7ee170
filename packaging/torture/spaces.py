"""Group 7: search spaces: dangling, cyclic, impossible, deep, huge, invalid JSON."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from studio.document.store import Document
from studio.errors import LearnerError, SpaceError
from studio.learners.choice import choose_learner
from studio.runs.causes import Failure, make_exception_failure
from studio.runs.inline import InlinePool
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.runs.limits import TrialLimits
from studio.space.library import load
from studio.space.space import Space
from torture.execution import run_inline
from torture.grid import sound_table
from torture.json_paths import STRANGE, iter_places
from torture.verdict import Try, Verdict, check_expected

Change = Callable[[dict[str, Any], Random], None]

SPACES = ("svm-rbf", "svm-kernels", "forest-thesis", "perceptron", "sklearn-cash", "large-cash")
SHIPPED = Path(__file__).parents[2] / "resources" / "spaces"
QUICK = ("--method", "RS", "--budget", "3", "--quiet", "--workers", "1", "--no-refit")


def spaces(folder: Path) -> Try:
    """Write a small table; return the cases with hostile spaces."""
    grid = sound_table(Random(0), rows=40)
    grid.set_column(grid.target, ["ab"[number % 2] for number in range(40)])
    return partial(_attempt, grid.write(folder))


def _attempt(table: Path, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    space = json.loads((SHIPPED / f"{rng.choice(SPACES)}.json").read_text())
    changes = [CHANGES[number % len(CHANGES)], *rng.sample(CHANGES, rng.choice((0, 1, 2)))]
    for change in changes:
        change(space, rng)
    what = ", ".join(each.__name__.strip("_").replace("_", " ") for each in changes)
    text = json.dumps(space).encode()
    if rng.random() < 0.15:
        what, text = f"{what}, damaged text", _damaged(text, rng)
    path, document = folder / "space.json", folder / "a.studio"
    path.write_bytes(text)
    verdict, _ = run_inline(
        what, "run", table, "-o", document, "--space", path, *QUICK, pool=_FakeTrainingPool
    )
    yield verdict
    yield _read_as_editor(path, what)
    if verdict.kind == "unharmed":
        yield from _suggested(document, what)
        out = folder / "out.json"
        yield run_inline(f"{what}: export", "export", document, "--format", "space", "-o", out)[0]
        yield run_inline(f"{what}: show", "show", document)[0]


def _read_as_editor(path: Path, what: str) -> Verdict:
    """Read a space like the editor, which also opens invalid ones."""
    try:
        space = load(path, check=False)
        problems = [problem.message for problem in space.find_problems()]
        again = Space.from_json(space.to_text()).find_problems()
    except SpaceError:
        return Verdict("reported", f"{what}: in the editor")
    if [problem.message for problem in again] != problems:
        return Verdict("fault", f"{what}: in the editor", "written and read, it is another space")
    return Verdict("reported" if problems else "unharmed", f"{what}: in the editor")


class _FakeTrainingPool(InlinePool):
    """Builds each configuration's pipeline, but trains a quick one instead.

    Learners could do anything with such values, and are limited only in worker processes.
    """

    def _run_job(self, job: dict[str, Any]) -> TrialOutcome | RefitResult | Failure:
        try:
            choose_learner(job["configuration"], job["sets"])
        except LearnerError as error:
            return make_exception_failure("The learner", error, TrialLimits())
        quick = {"algorithm": "naive-bayes"}
        return super()._run_job(
            {**job, "configuration": quick, "sets": dict.fromkeys(quick, "algorithm")}
        )


def _suggested(document: Path, what: str) -> Iterator[Verdict]:
    """Check that all trials belong to the document's space."""
    with Document.open(document, writable=False) as opened:
        (run,) = opened.runs.list_all()
        space = Space.from_json(run.settings["space"])
        for trial in opened.trials.list_all(run.id):
            given = dict(trial.configuration)
            yield from check_expected(f"{what}: trial {trial.number}", space.validate(given), given)


def _damaged(text: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(text))
    return rng.choice(
        (text[:at], text[:at] + b"\xff" + text[at:], text + text, b"", b"[" * 100_000, b"null",
         text.replace(b'"low"', b'"high"'), b"{" + text, text[:at] + b"NaN" + text[at + 1 :],
         b"\xef\xbb\xbf" + text, text.decode().encode("utf-16"), b'{"a":' * 3000)
    )  # fmt: skip


# -- single hostile changes of a space


def _strange_value(space: dict[str, Any], rng: Random) -> None:
    _, change = rng.choice(list(iter_places(space)))
    change(space, rng.choice(STRANGE))


def _missing_entry(space: dict[str, Any], rng: Random) -> None:
    entry = rng.choice([space, *_parameters(space)])
    if entry:
        del entry[rng.choice(list(entry))]


def _min_above_max(space: dict[str, Any], rng: Random) -> None:
    for each in _parameters(space):
        if "low" in each and "high" in each and rng.random() < 0.7:
            each["low"], each["high"] = each["high"], each["low"]


def _log_of_zero(space: dict[str, Any], rng: Random) -> None:
    for each in _ranges(space):
        each["log"], each["low"] = True, rng.choice((0, -1, -1e308, 5e-324, 0.0))


def _one_point(space: dict[str, Any], rng: Random) -> None:
    for each in _ranges(space):
        each["high"] = each["default"] = each["low"]


def _endless_range(space: dict[str, Any], rng: Random) -> None:
    for each in _ranges(space):
        each["low"], each["high"] = rng.choice(
            ((-1e308, 1e308), (0, 10**400), (1, 2**63), (0, 1e999))
        )


def _cyclic_conditions(space: dict[str, Any], rng: Random) -> None:
    parameters = _parameters(space)
    for each, parent in zip(parameters, parameters[1:] + parameters[:1], strict=True):
        each["conditions"] = [{"parent": parent.get("name"), "values": ["a", 1, True]}]


def _missing_parent(space: dict[str, Any], rng: Random) -> None:
    for each in _parameters(space)[1:]:
        if rng.random() < 0.5:
            each["conditions"] = [{"parent": rng.choice(("none", "", each.get("name"), 3))}]


def _sixty_levels(space: dict[str, Any], rng: Random) -> None:
    above: dict[str, Any] = {}
    for level in range(rng.choice((60, 300))):
        below = {"name": f"l{level}", "type": "categorical", "choices": ["a", "b"], "default": "a"}
        if above:
            below["conditions"] = [{"parent": above["name"], "values": ["a"]}]
        _parameters(space).append(below)
        above = below


def _huge_space(space: dict[str, Any], rng: Random) -> None:
    parameters = _parameters(space)
    for number in range(rng.choice((500, 2000))):
        parameters.append({"name": f"h{number}", "type": "float", "low": 0, "high": 1})


def _many_choices(space: dict[str, Any], rng: Random) -> None:
    choices = [f"c{number}" for number in range(rng.choice((0, 1, 20_000)))]
    for each in _parameters(space):
        if "choices" in each:
            each["choices"] = choices


def _similar_names(space: dict[str, Any], rng: Random) -> None:
    for each in _parameters(space)[1:]:
        if rng.random() < 0.5:
            each["name"] = _parameters(space)[0].get("name")


def _unusual_names(space: dict[str, Any], rng: Random) -> None:
    for each in _parameters(space):
        each["name"] = rng.choice(
            ("\x1b[2J", "", "=1", "a.b.c", "x" * 10_000, "<b>", each.get("name"))
        )


def _no_parameters(space: dict[str, Any], rng: Random) -> None:
    space["parameters"] = rng.choice(([], {}, None, [[]], [None], "all"))


def _unknown_learners(space: dict[str, Any], rng: Random) -> None:
    for each in _parameters(space):
        if each.get("type") == "constant":
            each["value"] = rng.choice(("os.system", "__import__", 3, "", "rbf-svm\0"))


def _parameters(space: dict[str, Any]) -> list[dict[str, Any]]:
    found = space.get("parameters")
    return found if isinstance(found, list) and all(isinstance(e, dict) for e in found) else []


def _ranges(space: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in _parameters(space) if "low" in each]


CHANGES: tuple[Change, ...] = (
    _strange_value,
    _missing_entry,
    _min_above_max,
    _log_of_zero,
    _one_point,
    _endless_range,
    _cyclic_conditions,
    _missing_parent,
    _sixty_levels,
    _huge_space,
    _many_choices,
    _similar_names,
    _unusual_names,
    _no_parameters,
    _unknown_learners,
)
