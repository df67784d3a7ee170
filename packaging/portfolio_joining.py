"""Choose the start of each optional library: the most useful additional candidate."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from portfolio_kinds import KINDS, SEED
from portfolio_learning import (
    PORTFOLIOS,
    CandidateTrials,
    costs,
    files,
    load_trials,
    needs_less_time,
    select_members,
    versions,
)
from studio.arrays import Floats
from studio.proposers.portfolio import JoinedSpace, find_joined_spaces

ROUNDING = 1e-9
"""A gain on one table alone is as large as its standard error."""


def join(work: Path, known: dict[str, list[dict[str, Any]]]) -> None:
    """Write the start of each optional library used in the trials."""
    for kind in KINDS:
        if not find_joined_spaces(kind.key):
            continue
        shipped = json.loads((PORTFOLIOS / f"{kind.key}.json").read_text(encoding="utf-8"))
        order = [
            _find_nearest(each["configuration"], known[kind.key]) for each in shipped["starts"]
        ]
        for each in find_joined_spaces(kind.key):
            space_candidates, count = known.get(each.space, []), len(known[kind.key])
            tables = []
            for folder in sorted((work / kind.key).glob("*/")):
                trial_files = files(work / each.space / folder.name, len(space_candidates))
                paths = [*files(folder, count), *trial_files]
                if trial_files and all(path.exists() for path in paths):
                    tables.append(load_trials(folder, paths))
            if tables:
                _choose(
                    kind.key, each, tables, order, dict(enumerate(space_candidates, start=count))
                )


def _find_nearest(configuration: dict[str, Any], configurations: list[dict[str, Any]]) -> int:
    """Return the index of the candidate with most values in common.

    Forests are shipped with fewer trees than in the trials.
    """
    return max(
        range(len(configurations)),
        key=lambda index: len(configuration.items() & configurations[index].items()),
    )


def _choose(
    key: str,
    each: JoinedSpace,
    tables: list[CandidateTrials],
    order: list[int],
    some: dict[int, dict[str, Any]],
) -> None:
    """Write the most useful candidate, unless it may be harmful."""
    gains = {
        index: np.log(_compute_losses(tables, order) / _compute_losses(tables, [*order, index]))
        for index in some
    }
    best = max(gains, key=lambda index: float(gains[index].mean()))
    mean = float(gains[best].mean())
    error = float(gains[best].std(ddof=1) / len(tables) ** 0.5) if len(tables) > 1 else np.inf
    listed = ", ".join(f"{t.name} {g:+.3f}" for t, g in zip(tables, gains[best], strict=True))
    print(f"{each.space}: {json.dumps(some[best])}\n  {mean:+.4f} ± {error:.4f} ({listed})")
    portfolio_json = {
        "format": "ensemble-studio-portfolio",
        "version": 1,
        "joins": key,
        "space": each.space,
        "module": each.module,
        "tables": [table.name for table in tables],
        "seed": SEED,
        "made_with": versions(each.module),
        "starts": [
            {
                "configuration": some[best],
                "log_seconds": costs(tables, best),
                "elastic": needs_less_time(some[best]),
            }
        ]
        if mean >= error - ROUNDING
        else [],
    }
    text = json.dumps(portfolio_json, indent=1) + "\n"
    (PORTFOLIOS / f"{each.space}.json").write_text(text, encoding="utf-8")


def _compute_losses(tables: list[CandidateTrials], among: list[int]) -> Floats:
    """Return the squared test losses of the ensembles of some candidates, shape (tables,)."""
    return np.array([table.loss(select_members(table, among)) for table in tables])
