#!/usr/bin/env python3
"""Learn the starts of the method "best" from tables: which configurations, in which order.

    python packaging/portfolio.py trials --data FOLDER --work FOLDER [--only NAME …]
    python packaging/portfolio.py learn --work FOLDER

``trials`` evaluates every candidate (portfolio_candidates.json) on every table of a folder (CSV,
also .gz, with a column "target") in five folds and keeps predictions and seconds; what is there
already is not computed again. ``learn`` orders the candidates by what each adds to the ensemble of
those before it for the seconds it costs, judges the order by leaving one table out at a time, and
writes resources/portfolios/*.json and docs/studies/portfolio.md with its picture.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # as in a worker

import numpy as np

from studio.arrays import Floats
from studio.data.problem import Problem
from studio.data.reading import ReadOptions, read
from studio.data.splits import SplitPlan, make_split
from studio.data.table import Table
from studio.errors import StudioError
from studio.learners.choice import chosen
from studio.runs.evaluate import evaluate
from studio.runs.staging import TrialData
from studio.space.library import load
from studio.space.space import Space

HERE = Path(__file__).resolve().parent
CANDIDATES = HERE / "portfolio_candidates.json"
PORTFOLIOS = HERE.parent / "resources" / "portfolios"

STARTS, STEPS = 25, 40
"""Length of a portfolio, and choices of the ensembles by which it is judged."""

LEAST_STARTS = 10
"""Starts that are kept although the last of them add nothing on the average: tables differ."""

THRIFT = 0.5
"""Power of the seconds by which a candidate's gain is divided."""

FOLDS, TEST, SEED = 5, 0.2, 0
MOST_ROWS = 2500
"""Rows of a table that are looked at, drawn at random: the many trials must come to an end."""

MOST_SECONDS = 40.0
"""A trial that takes longer is kept, and no more candidates of its learner are tried."""


def candidates() -> dict[str, list[dict[str, Any]]]:
    """Return the candidates of both spaces as complete configurations."""
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
    """Evaluate all candidates on all tables."""
    known = candidates()
    for name, problem in problems(data, only):
        key = "best-regression" if problem.task == "regression" else "best"
        space = load(key)
        sets = {each.name: each.sets for each in space.parameters}
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
        slow: set[str] = set()
        for place, configuration in enumerate(known[key]):
            path = folder / f"{place}.npz"
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
                    outcome = evaluate(prepared, learner, choice, SEED)
            except Exception as error:  # noqa: BLE001 - a learner may raise anything at all
                print(f"{name} {place} {learner.key}: {error}", flush=True)
                np.savez(path, seconds=np.inf)
                continue
            seconds = time.process_time() - begun
            if seconds > MOST_SECONDS:
                slow.add(learner.key)
            np.savez(path, validation=outcome.validation, test=outcome.test, seconds=seconds)
        print(name, len(prepared.validation), prepared.task, flush=True)


@dataclass(frozen=True)
class Tried:
    """What the candidates gave on one table.

    Attributes
    ----------
    name : str
    size : (int, int, int)
        Rows outside the test, columns, classes (0 for regression).
    seconds : array, shape (m,)
        Of the five fits; infinite where a candidate failed.
    selecting, judging : (array, array)
        Squared losses of mixtures w of the candidates, as wᵀ G w - 2 bᵀ w + c: G of shape (m, m)
        and b of shape (m,), c left out, for the out-of-fold and for the test predictions.
    constant : float
        c of the test rows.
    """

    name: str
    size: tuple[int, int, int]
    seconds: Floats
    selecting: tuple[Floats, Floats]
    judging: tuple[Floats, Floats]
    constant: float

    def loss(self, weights: Floats) -> float:
        """Return the squared test loss of a mixture, 1 for always saying the test rows' mean."""
        G, b = self.judging
        return float(weights @ G @ weights - 2 * b @ weights + self.constant)


def tried(folder: Path, count: int) -> Tried:
    """Read one table's trials."""
    truth = np.load(folder / "truth.npz")
    n_rows, n_columns, n_classes = truth["shape"].tolist()
    seconds = np.full(count, np.inf)
    parts: list[list[Floats]] = [[], []]
    targets = []
    for y in (truth["y"], truth["test"]):
        hot = np.eye(n_classes)[y] if n_classes else y[:, None].astype(float)
        targets.append(hot - truth["y"].mean() if not n_classes else hot)
    scale = [float(np.square(t - t.mean(axis=0)).sum(axis=1).mean()) or 1.0 for t in targets]
    for place in range(count):
        with np.load(folder / f"{place}.npz") as kept:
            seconds[place] = float(kept["seconds"])
            for part, key in zip(parts, ("validation", "test"), strict=True):
                if key in kept:
                    found = kept[key].astype(float).reshape(len(kept[key]), -1)
                    part.append(found if n_classes else found - truth["y"].mean())
                else:
                    part.append(np.zeros_like(targets[0 if key == "validation" else 1]))
    forms = []
    for part, target, unit in zip(parts, targets, scale, strict=True):
        flat = np.stack([each.ravel() for each in part])
        per_row = len(target) * unit
        forms.append((flat @ flat.T / per_row, flat @ target.ravel() / per_row))
    constant = float(np.square(targets[1]).sum() / (len(targets[1]) * scale[1]))
    size = (n_rows, n_columns, n_classes)
    return Tried(folder.name, size, seconds, forms[0], forms[1], constant)


def selected(table: Tried, among: list[int]) -> Floats:
    """Return the weights of greedy selection with replacement by the out-of-fold squared loss."""
    G, b = table.selecting
    among = [place for place in among if np.isfinite(table.seconds[place])]
    counts = np.zeros(len(b))
    if not among:
        return counts
    diagonal, dots = G.diagonal()[among], np.zeros(len(among))
    square = straight = 0.0
    for step in range(1, STEPS + 1):
        losses = (square + 2 * dots + diagonal) / step**2 - 2 * (straight + b[among]) / step
        best = int(losses.argmin())
        square += 2 * dots[best] + diagonal[best]
        straight += b[among[best]]
        dots += G[among[best], among]
        counts[among[best]] += 1
    return counts / STEPS


def ordered(tables: list[Tried], count: int, most: int = STARTS) -> list[int]:
    """Return the order in which each candidate adds most for the seconds it costs.

    The gain of a candidate is the mean over the tables of the log ratio of the test losses without
    and with it; it is divided by a power of the mean seconds, :data:`THRIFT`.
    """
    chosen: list[int] = []
    seconds = np.array([
        np.mean([min(table.seconds[place], MOST_SECONDS) for table in tables])
        for place in range(count)
    ])  # fmt: skip
    before = np.array([1.0 for _ in tables])
    while len(chosen) < min(most, count):
        gains = np.full(count, -np.inf)
        losses = {}
        for place in set(range(count)) - set(chosen):
            now = np.array([table.loss(selected(table, [*chosen, place])) for table in tables])
            losses[place] = now
            gains[place] = np.mean(np.log(before / now)) / max(seconds[place], 0.3) ** THRIFT
        best = int(gains.argmax())
        chosen.append(best)
        before = losses[best]
    return chosen


def costs(tables: list[Tried], place: int) -> list[float]:
    """Return log seconds of one fit: constant, and exponents of rows, columns and classes."""
    known = [table for table in tables if np.isfinite(table.seconds[place])]
    A = np.array([
        [1.0, np.log(0.8 * table.size[0]), np.log(table.size[1]), np.log(max(2, table.size[2]))]
        for table in known
    ])  # fmt: skip
    y = np.array([np.log(max(table.seconds[place], 1e-3) / FOLDS) for table in known])
    # A little ridge about usual exponents holds what few tables say nothing about.
    usual = np.array([0.0, 1.0, 0.5, 0.5 if A[:, 3].std() else 0.0])
    hold = np.diag([0.0, 2.0, 2.0, 2.0])
    found = np.linalg.solve(A.T @ A + hold, A.T @ (y - A @ usual)) + usual
    return [round(float(each), 4) for each in found]


def learn(work: Path) -> None:
    """Write the portfolios."""
    known = candidates()
    for key, some in known.items():
        tables = [
            table
            for folder in sorted(work.iterdir())
            if (folder / "truth.npz").exists()
            and all((folder / f"{place}.npz").exists() for place in range(len(some)))
            and ((table := tried(folder, len(some))).size[2] == 0) == (key == "best-regression")
        ]
        if not tables:
            continue
        order = ordered(tables, len(some))
        everything = [table.loss(selected(table, list(range(len(some))))) for table in tables]
        print(key, len(tables), "tables")
        ratios = []
        for length in range(1, len(order) + 1):
            losses = [table.loss(selected(table, order[:length])) for table in tables]
            ratio = float(np.exp(np.mean(np.log(np.array(losses) / np.array(everything)))))
            ratios.append(ratio)
            taken = [table.seconds[order[:length]].clip(max=MOST_SECONDS).sum() for table in tables]
            last = json.dumps(some[order[length - 1]])
            print(length, round(ratio, 4), round(float(np.mean(taken)), 1), last)
        kept = order[: max(LEAST_STARTS, int(np.argmin(ratios)) + 1)]
        starts = [
            {"configuration": some[place], "log_seconds": costs(tables, place)} for place in kept
        ]
        made = {
            "format": "ensemble-studio-portfolio",
            "version": 1,
            "space": key,
            "tables": [table.name for table in tables],
            "seed": SEED,
            "made_with": {name: version(name) for name in ("numpy", "scikit-learn", "lightgbm")},
            "starts": starts,
        }
        path = PORTFOLIOS / f"{key}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Parse the command line and work."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("job", choices=("trials", "learn"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    if given.job == "trials":
        trials(given.data, given.work, given.only)
    else:
        learn(given.work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
