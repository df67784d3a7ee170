"""``studio run``: a whole run from a table to a tested ensemble."""

import argparse
import dataclasses
from pathlib import Path
from typing import Any, TypeVar

from studio.cli.foreground import add_run_output, run_to_the_end
from studio.cli.reading import add_reading, reading_from
from studio.cli.settings import add_settings, given
from studio.data.split_plan import SplitPlan
from studio.errors import UsageError
from studio.runs.choices import DeclaredSettings
from studio.setting import names_of

W = TypeVar("W", bound=str)

HELP = "Search on a table and keep everything in a .studio document."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "table",
        metavar="DATA.csv",
        type=Path,
        help="the table (.csv or .tsv, also in .gz or .zip; .xlsx, .parquet)",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.studio",
                        help="the document; a run is added to one that exists")  # fmt: skip
    parser.add_argument("--target", metavar="NAME", help="the column to predict")
    parser.add_argument("--task", default="auto",
                        choices=("auto", "binary", "multiclass", "regression"))  # fmt: skip
    parser.add_argument("--role", action="append", default=[], metavar="COLUMN=ROLE",
                        help="feature, target, ignore, group, time or weight")  # fmt: skip
    parser.add_argument("--kind", action="append", default=[], metavar="COLUMN=KIND",
                        help="number, category or date; may be repeated")  # fmt: skip
    parser.add_argument("--treat", action="append", default=[], metavar="COLUMN=TREATMENT",
                        help="odd values: 'missing 0..500', 'limit ..500' (numbers beyond), or "
                             "'merge 10' (values in fewer rows are merged)")  # fmt: skip
    add_reading(parser)
    parser.add_argument("--test", type=Path, metavar="FILE", help="a second table as test set")
    parser.add_argument("--method", default="auto",
                        help="see 'studio methods' (default: best)")  # fmt: skip
    parser.add_argument("--space", help="a shipped space ('studio spaces') or a JSON file")
    parser.add_argument("--split", metavar="60/20/20",
                        help="training/validation/test in percent, or a paper's protocol: "
                             "DivBO, SMBEO, EO, thesis3, thesis5")  # fmt: skip
    add_settings(parser, SplitPlan)
    add_settings(parser, DeclaredSettings)
    parser.add_argument("--set", action="append", default=[], dest="overrides",
                        metavar="PART.OPTION=VALUE",
                        help="such as ensemble.size=25, or PART=KEY; may be repeated")  # fmt: skip
    parser.add_argument("--name", default="", help="a name for the run")
    add_run_output(parser)


def perform(arguments: argparse.Namespace) -> int:
    """Create the document with the run in it first; then load what is heavy and work."""
    from studio.document.store import Document
    from studio.runs.compatible import check_settings

    settings = settings_from(arguments)
    check_settings(settings)
    path = arguments.output
    with Document.open(path) if path.exists() else Document.create(path) as document:
        run_id = document.add_run(arguments.name or settings.method, settings.to_json())
    return run_to_the_end(path, run_id, arguments)


def settings_from(arguments: argparse.Namespace) -> Any:
    """Return the run's settings as the arguments state them.

    Raises
    ------
    UsageError
        If an argument cannot be what it says.
    """
    from studio.data.column import KINDS, ROLES
    from studio.data.splits import split_plan
    from studio.runs.advice import is_advised
    from studio.runs.settings import RunSettings, Source

    for file in (arguments.table, arguments.test):
        if file is not None and not file.exists():
            raise UsageError(f"There is no file {file}; check the name and the folder.")
    advised = is_advised(arguments.method)
    chosen = given(arguments, names_of(DeclaredSettings))
    settings = RunSettings(
        method=arguments.method,
        overrides=pairs(arguments.overrides, "PART.OPTION=VALUE"),
        space=_space(arguments.space),
        source=Source(
            path=str(arguments.table.resolve()),
            test_path=str(arguments.test.resolve()) if arguments.test else "",
            target=arguments.target,
            task=arguments.task,
            reading=reading_from(arguments),
            roles=_words(pairs(arguments.role, "COLUMN=ROLE"), ROLES, "role"),
            kinds=_words(pairs(arguments.kind, "COLUMN=KIND"), KINDS, "kind"),
            treatments=_treatments(pairs(arguments.treat, "COLUMN=TREATMENT")),
        ),
        advised=advised and arguments.split is None and arguments.folds is None,
        **{"refit": not advised, **chosen},
    )
    others = given(arguments, ("folds", "cap")) | {"seed": settings.seed}
    plan = split_plan(arguments.split, **others) if arguments.split else SplitPlan(**others)
    settings = dataclasses.replace(settings, plan=plan)
    settings.check()
    return settings


def _words(given: dict[str, str], allowed: tuple[W, ...], noun: str) -> dict[str, W]:
    """Check the words after column names before anything is made."""
    found: dict[str, W] = {}
    for name, word in given.items():
        if word not in allowed:
            raise UsageError(
                f"The {noun} of {name!r} must be one of {', '.join(allowed)}; {word!r} was given."
            )
        found[name] = allowed[allowed.index(word)]
    return found


def _treatments(given: dict[str, str]) -> dict[str, str]:
    """Return the treatments of columns as they are always spelled."""
    from studio.data.treatments import treatment

    return {name: treatment(text).spelled() for name, text in given.items()}


def pairs(given: list[str], form: str) -> dict[str, str]:
    """Return ``["a=b", …]`` as a dict; the last ``=`` divides, since column names may hold one."""
    found = {}
    for text in given:
        name, mark, value = text.rpartition("=")
        if not mark or not name:
            raise UsageError(f"{text!r} was given where {form} is expected.")
        found[name] = value
    return found


def _space(wanted: str | None) -> dict[str, Any] | None:
    if wanted is None:
        return None
    from studio.space.library import load

    space = load(wanted)
    space.check()
    return dict(space.to_json())
