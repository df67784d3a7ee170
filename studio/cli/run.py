"""``studio run``: a whole run, from a table to a tested ensemble."""

import argparse
import dataclasses
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from studio.cli.foreground import add_run_output_arguments, run_until_finished
from studio.cli.settings import add_settings_arguments, get_given_values
from studio.cli.table_arguments import add_table_arguments, make_source, parse_pairs
from studio.data.split_plan import EqualRows, SplitPlan
from studio.errors import StudioError
from studio.runs.choices import DeclaredSettings
from studio.setting import get_setting_names

HELP = "Run a search on a table and store everything in a .studio document."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_table_arguments(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.studio",
                        help="the document; an existing one gets another run")  # fmt: skip
    parser.add_argument("--method", default="auto",
                        help="see 'studio methods' (default: best)")  # fmt: skip
    parser.add_argument("--space", help="a shipped space ('studio spaces') or a JSON file")
    parser.add_argument("--split", metavar="60/20/20",
                        help="training/validation/test in percent, or a paper's protocol (copies "
                             "of a row apart): DivBO, SMBEO, EO, thesis3, thesis5")  # fmt: skip
    add_settings_arguments(parser, SplitPlan)
    parser.add_argument("--split-seed", type=int, metavar="N",
                        help="random seed of the split (default: the run's seed)")  # fmt: skip
    parser.add_argument("--equal-rows", choices=get_args(EqualRows),
                        help="keep copies of a row on one side of the split, or treat them like "
                             "other rows (default: together, or as the protocol)")  # fmt: skip
    add_settings_arguments(parser, DeclaredSettings)
    parser.add_argument("--set", action="append", default=[], dest="overrides",
                        metavar="PART.OPTION=VALUE",
                        help="such as ensemble.size=25, or PART=KEY; may be repeated")  # fmt: skip
    parser.add_argument("--name", default="", help="a name for the run")
    add_run_output_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Create the document with the run before importing heavy modules; then execute the run."""
    from studio.document.store import Document
    from studio.document.user_tables import record_named_tables
    from studio.runs.compatible import check_settings

    settings = make_settings(arguments)
    check_settings(settings)
    path = arguments.output
    is_new = not path.exists()
    with Document.create(path) if is_new else Document.open(path) as document:
        run_id = document.runs.add(arguments.name or settings.method, settings.to_json())
    record_named_tables(filter(None, (settings.source.path, settings.source.test_path)))
    try:
        return run_until_finished(path, run_id, arguments)
    except StudioError:
        _remove_rejected_run(path, run_id, is_new=is_new)
        raise


def _remove_rejected_run(path: Path, run_id: int, *, is_new: bool) -> None:
    from studio.document.log_files import SUFFIXES, get_companion_path
    from studio.document.store import Document

    with suppress(StudioError, OSError):  # the run's error is raised again
        with Document.open(path) as document:
            if document.runs.get(run_id).prepared:
                return
            document.remove_run(run_id)
            is_empty = not (document.runs.list_all() or document.tables.list_all())
        if is_new and is_empty:
            for each in (path, *(get_companion_path(path, suffix) for suffix in SUFFIXES)):
                each.unlink(missing_ok=True)


def make_settings(arguments: argparse.Namespace) -> Any:
    """Return the run's settings; raise UsageError for an invalid argument."""
    from studio.data.splits import split_plan
    from studio.runs.advice import is_advised
    from studio.runs.settings import RunSettings

    source = make_source(arguments)
    is_method_advised = is_advised(arguments.method)
    given_settings = get_given_values(arguments, get_setting_names(DeclaredSettings))
    settings = RunSettings(
        method=arguments.method,
        overrides=parse_pairs(arguments.overrides, "PART.OPTION=VALUE"),
        space=_load_space(arguments.space),
        source=source,
        advised=is_method_advised and arguments.split is None and arguments.folds is None,
        optional_refit=is_method_advised and "refit" not in given_settings,
        **{"refit": not is_method_advised, **given_settings},
    )
    plan_values = get_given_values(arguments, ("folds", "cap", "equal_rows"))
    plan_values["seed"] = settings.seed if arguments.split_seed is None else arguments.split_seed
    plan = (
        split_plan(arguments.split, **plan_values) if arguments.split else SplitPlan(**plan_values)
    )
    settings = dataclasses.replace(settings, plan=plan)
    settings.check()
    return settings


def _load_space(name: str | None) -> dict[str, Any] | None:
    if name is None:
        return None
    from studio.space.library import load

    space = load(name)
    space.check()
    return dict(space.to_json())
