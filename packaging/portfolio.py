#!/usr/bin/env python3
"""Learn the starts of the method "best" from tables: which configurations, in which order.

    python packaging/portfolio.py trials --data FOLDER --work FOLDER [--only NAME …]
    python packaging/portfolio.py learn --work FOLDER
    python packaging/portfolio.py join --work FOLDER

``trials`` evaluates every candidate (portfolio_candidates.json) on every table of a folder (CSV,
also .gz, with a column "target") in five folds and keeps predictions and seconds; what is there
already is not computed again. ``learn`` orders the candidates by what each adds to the ensemble of
those before it for the seconds it costs, judges the order by leaving one table out at a time, and
writes resources/portfolios/*.json and docs/studies/portfolio.md with its picture. ``join`` finds
for each optional library that was installed in the trials which of its candidates earn a place
among the starts, and where; it writes the library's own file there.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # as in a worker

import numpy as np
from portfolio_learning import files, learn

from studio.data.problem import Problem
from studio.data.reading import ReadOptions, read
from studio.data.splits import SplitPlan, make_split
from studio.data.table import Table
from studio.errors import StudioError
from studio.learners.choice import chosen
from studio.proposers.portfolio import joining
from studio.runs.evaluate import evaluate
from studio.runs.staging import TrialData
from studio.space.library import load
from studio.space.space import Space

HERE = Path(__file__).resolve().parent
CANDIDATES = HERE / "portfolio_candidates.json"

FOLDS, TEST, SEED = 5, 0.2, 0
MOST_ROWS = 2500
"""Rows of a table that are looked at, drawn at random: the many trials must come to an end."""

MOST_SECONDS = 40.0
"""A trial that takes longer is kept, and no more candidates of its learner are tried."""


def candidates() -> dict[str, list[dict[str, Any]]]:
    """Return the candidates of each space as complete configurations."""
    given = json.loads(CANDIDATES.read_text(encoding="utf-8"))
    return {key: [complete(load(key), each) for each in some] for key, some in given.items()}


def complete(space: Space, partial: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration: what is given, and defaults for all else that is active."""
    return space.validate(
        {name: partial.get(name, space.parameter(name).first()) for name in space.active(partial)}
    )


def problems(folder: Path, only: list[str]) -> Iterator[tuple[str, Problem]]:
    """Yield the tables by name, in the order asked for."""
    paths = {path.name.split(".csv")[0]: path for path in sorted(folder.glob("*.csv*"))}
    for name in only or paths:
        path = paths[name]
        table = Table.from_raw(read(path, ReadOptions()), kinds={}, roles={}, target="target")
        problem = Problem.from_table(table, "auto")
        yield name, problem


def small(problem: Problem) -> TrialData:
    """Return the folds and test rows of at most so many rows of a problem."""
    split = make_split(problem, SplitPlan(folds=FOLDS, test=TEST, seed=SEED))
    data = TrialData.of(problem, split)
    share = MOST_ROWS / len(problem.y)
    if share >= 1:
        return data
    rng = np.random.default_rng(SEED)
    keep = np.zeros(len(problem.y), dtype=bool)
    keep[rng.permutation(len(problem.y))[:MOST_ROWS]] = True
    folds = tuple((train[keep[train]], held[keep[held]]) for train, held in data.folds)
    validation = data.validation[keep[data.validation]]
    return TrialData(
        X=data.X, y=data.y, task=data.task, n_classes=data.n_classes,
        categorical=data.categorical, folds=folds, validation=validation,
        test=data.test[:2000], weights=data.weights,
    )  # fmt: skip


def trials(data: Path, work: Path, only: list[str]) -> None:
    """Evaluate all candidates on all tables, those of optional learners where they can be."""
    known = candidates()
    for name, problem in problems(data, only):
        key = "best-regression" if problem.task == "regression" else "best"
        try:
            prepared = small(problem)
        except StudioError as error:
            print(f"{name}: {error}", flush=True)
            continue
        folder = work / name
        folder.mkdir(parents=True, exist_ok=True)
        truth = folder / "truth.npz"
        if not truth.exists():
            np.savez(
                truth, y=problem.y[prepared.validation], test=problem.y[prepared.test],
                shape=np.array([len(prepared.validation), problem.X.shape[1], problem.n_classes]),
            )  # fmt: skip
        installed = [each.space for each in joining(key) if find_spec(each.module) is not None]
        for each in (key, *installed):
            paths = [folder / f"{file}.npz" for file in files(each, len(known[each]))]
            _try_all(name, prepared, load(each), known[each], paths)
        print(name, len(prepared.validation), prepared.task, flush=True)


def _try_all(
    name: str, data: TrialData, space: Space, some: list[dict[str, Any]], paths: list[Path]
) -> None:
    """Evaluate candidates of a space on a table, each into its file; what is there stays."""
    sets = {each.name: each.sets for each in space.parameters}
    slow: set[str] = set()
    for configuration, path in zip(some, paths, strict=True):
        learner, choice = chosen(configuration, {n: sets[n] for n in configuration})
        if path.exists():
            continue
        if learner.key in slow:
            np.savez(path, seconds=np.inf)
            continue
        begun = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcome = evaluate(data, learner, choice, SEED)
        except Exception as error:  # noqa: BLE001 - a learner may raise anything at all
            print(f"{name} {path.stem} {learner.key}: {error}", flush=True)
            np.savez(path, seconds=np.inf)
            continue
        seconds = time.process_time() - begun
        if seconds > MOST_SECONDS:
            slow.add(learner.key)
        np.savez(path, validation=outcome.validation, test=outcome.test, seconds=seconds)


def main() -> int:
    """Parse the command line and work."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("job", choices=("trials", "learn", "join"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    if given.job == "trials":
        trials(given.data, given.work, given.only)
    elif given.job == "learn":
        learn(given.work, candidates())
    else:
        from portfolio_joining import join

        join(given.work, candidates())
    return 0


if __name__ == "__main__":
    sys.exit(main())
