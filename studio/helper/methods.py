"""Helper tasks about methods: list, availability, advice for a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.data.splits import SplitPlan
from studio.helper.table_spec import TableSpec
from studio.parts import Declaration
from studio.proposers.composition import CompositionRules, Preset
from studio.runs.settings import Advice
from studio.tasks import task


@dataclass(frozen=True)
class Catalogue:
    """The catalogue of methods, in the order of their families, and parts."""

    methods: tuple[Preset, ...]
    unavailable_methods: tuple[Preset, ...]
    parts: Mapping[str, tuple[Declaration, ...]]
    rules: CompositionRules


@task("catalogue")
def make_catalogue() -> Catalogue:
    """Return all methods and parts."""
    from studio.proposers.method import (
        get_declarations,
        get_rules,
        list_methods,
        list_unavailable_methods,
    )

    return Catalogue(list_methods(), list_unavailable_methods(), get_declarations(), get_rules())


@dataclass(frozen=True)
class Compatibility:
    """Compatibility of a method.

    Attributes:
        rejections: Kind of part → part's key → why that part cannot replace the current one; empty
            if there is a problem, which most other parts would share.
    """

    problem: str = ""
    part: str = ""
    rejections: dict[str, dict[str, str]] = field(default_factory=dict)


@task("check_method")
def check_method(settings: Mapping[str, Any]) -> Compatibility:
    """Check the settings of a run, as JSON."""
    from studio.runs.compatible import find_incompatible_parts, find_problem
    from studio.runs.settings import RunSettings

    run_settings = RunSettings.from_json(settings)
    problem, part_kind = find_problem(run_settings)
    return Compatibility(
        problem, part_kind, {} if problem else find_incompatible_parts(run_settings)
    )


@task("advice")
def compute_advice(
    table: TableSpec,
    plan: Mapping[str, Any],
    seconds: float | None = None,
    *,
    external_test: bool = False,
) -> Advice:
    """Read a described table and return advice; keep a plan's test share, row limit and seed."""
    from studio.runs.advice import advise

    split = SplitPlan.from_json(plan)
    return advise(table.make_problem(), split, seconds, external_test=external_test)
