#!/usr/bin/env python3
"""Learn the starts of the method "best" from tables: which configurations, in which order.

    python packaging/portfolio.py trials --data FOLDER --work FOLDER [--only NAME …]
        [--kinds KIND …] [--rows N]
    python packaging/portfolio.py learn --work FOLDER
    python packaging/portfolio.py join --work FOLDER

``trials`` evaluates every candidate (portfolio_candidates.json) on every table of a folder (CSV,
also .gz, with a column "target") and keeps predictions and seconds; existing results are not
recomputed. There is a list of candidates for each portfolio (portfolio_kinds.py): for a kind of
task and a number of rows; ``--rows`` looks at more rows than they say. ``learn`` orders the
candidates by what each adds to the ensemble of those before it for the seconds it costs, judges the
order by leaving one table out at a time, and writes resources/portfolios/*.json and
docs/studies/portfolio.md with its picture. ``join`` chooses the start of each optional library that
was installed in the trials.
"""

import argparse
import dataclasses
import json
import os
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # as in a worker

import numpy as np

from portfolio_kinds import KINDS, OPTIONAL, SEED, TEST, Kind
from studio.awake_clock import read_awake_seconds
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import read
from studio.data.splits import make_split
from studio.data.table import Table
from studio.errors import StudioError
from studio.learners.base import Learner
from studio.learners.choice import LearnerConfiguration, choose_learner
from studio.runs.evaluate import evaluate
from studio.runs.model_files import MAX_KEPT_BYTES_PER_TRIAL
from studio.runs.staging import TrialData
from studio.space.library import load
from studio.space.space import Space

HERE = Path(__file__).resolve().parent
CANDIDATES = HERE / "portfolio_candidates.json"

MAX_SECONDS = 20.0
"""A longer fit is kept, but no further candidates of its learner are tried."""

MAX_TESTED = 20_000
"""Rows for evaluating the portfolios."""

ELASTIC_SECONDS = 15.0
"""CPU seconds after which learners with early stopping end."""

LIMIT = 35
"""CPU seconds after which a trial is stopped, as it does not fit into a minute."""


def candidates() -> dict[str, list[dict[str, Any]]]:
    """Return the candidates of each portfolio as complete configurations."""
    candidates_json = json.loads(CANDIDATES.read_text(encoding="utf-8"))
    return {
        kind.key: [complete(load(kind.space), each) for each in candidates_json[kind.key]]
        for kind in (*KINDS, *OPTIONAL)
    }


def complete(space: Space, partial: dict[str, Any]) -> dict[str, Any]:
    """Complete a configuration by the defaults of active hyperparameters."""
    return space.validate(
        {
            name: partial.get(name, space.get_parameter(name).get_default())
            for name in space.find_active(partial)
        }
    )


def problems(folder: Path, only: list[str]) -> Iterator[tuple[str, Problem]]:
    """Yield the tables by name, in the requested order."""
    paths = {path.name.split(".csv")[0]: path for path in sorted(folder.glob("*.csv*"))}
    for name in only or paths:
        path = paths[name]
        table = Table.from_raw(read(path, ReadOptions()), kinds={}, roles={}, target="target")
        problem = Problem.from_table(table, "auto")
        yield name, problem


def split_problem(problem: Problem, kind: Kind) -> TrialData:
    """Return folds and test rows of a problem, within the kind's maximum number of rows."""
    split = make_split(problem, kind.plan(len(problem.y)))
    data = TrialData.from_problem(problem, split)
    rng = np.random.default_rng(SEED)
    # Files may be sorted, so the first rows are not representative.
    test = rng.permutation(data.test)[: round(TEST * kind.most_rows)]
    keep = np.zeros(len(problem.y), dtype=bool)
    keep[rng.permutation(len(problem.y))[: kind.most_rows]] = True
    folds = tuple((train[keep[train]], held_out[keep[held_out]]) for train, held_out in data.folds)
    return dataclasses.replace(
        data, folds=folds, validation=data.validation[keep[data.validation]], test=test
    )


def trials(data: Path, work: Path, only: list[str], kinds: list[str], rows: int | None) -> None:
    """Evaluate all candidates on all tables."""
    candidates_by_key = candidates()
    for name, problem in problems(data, only):
        for each in (*KINDS, *OPTIONAL):
            kind = dataclasses.replace(each, most_rows=rows or each.most_rows)
            if kind.fits(problem) and (not kinds or kind.key in kinds):
                evaluate_candidates(
                    name, problem, kind, candidates_by_key[kind.key], work / kind.key / name
                )


def evaluate_candidates(
    name: str, problem: Problem, kind: Kind, configurations: list[dict[str, Any]], folder: Path
) -> None:
    """Evaluate the candidates of one portfolio on one table."""
    sets = {each.name: each.sets for each in load(kind.space).parameters}
    try:
        prepared = split_problem(problem, kind)
    except StudioError as error:
        print(f"{name}: {error}", flush=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    truth = folder / "truth.npz"
    if not truth.exists():
        rows = sum(len(training) for training, _ in prepared.folds) // len(prepared.folds)
        np.savez(
            truth, y=problem.y[prepared.validation],
            test=problem.y[prepared.test[:MAX_TESTED]],
            shape=np.array([rows, problem.X.shape[1], problem.n_classes]),
        )  # fmt: skip
    thinned = _thin_rows(prepared)
    slow_learners: set[str] = set()
    for index, configuration in enumerate(configurations):
        path = folder / f"{index}.npz"
        learner, choice = choose_learner(configuration, {n: sets[n] for n in configuration})
        if path.exists():
            continue
        if learner.key in slow_learners:
            np.savez(path, seconds=np.inf)
            continue
        if learner.key not in _IMPORTED:
            _IMPORTED.add(learner.key)
            _run_trial(thinned, learner, choice)
        outcome = _run_in_child(lambda: _run_trial(prepared, learner, choice))  # noqa: B023 - at once
        if outcome.get("seconds", np.inf) > MAX_SECONDS and not learner.self_tuned_hyperparameters:
            slow_learners.add(learner.key)
        np.savez(path, **outcome)
        print(name, index, learner.key, outcome.get("fault", ""), outcome["seconds"], flush=True)
    print(name, kind.key, prepared.validation.size, flush=True)


_IMPORTED: set[str] = set()
"""Learners with preloaded libraries, as a worker imports them once, but a child for every trial."""


def _thin_rows(data: TrialData) -> TrialData:
    """Return some hundred evenly spaced rows of each fold."""
    folds = tuple(
        (train[:: 1 + train.size // 500], held_out[:: 1 + held_out.size // 500])
        for train, held_out in data.folds
    )
    return dataclasses.replace(data, folds=folds, test=data.test[:10])


def _run_trial(data: TrialData, learner: Learner, choice: LearnerConfiguration) -> dict[str, Any]:
    """Return predictions and seconds of a fit, or its error."""
    start = time.process_time()
    found: dict[str, Any] = {}
    try:
        with warnings.catch_warnings(), TemporaryDirectory() as models:
            warnings.simplefilter("ignore")
            # As in a run, a model that is too large to be stored is useless.
            outcome = evaluate(
                data,
                learner,
                choice,
                SEED,
                models=Path(models),
                max_bytes=MAX_KEPT_BYTES_PER_TRIAL,
                seconds=ELASTIC_SECONDS * len(data.folds)
                if learner.self_tuned_hyperparameters
                else None,
            )
            assert outcome.test is not None, "the split has test rows"
            found = {"validation": outcome.validation, "test": outcome.test[:MAX_TESTED]}
            max_seconds = 0.8 * ELASTIC_SECONDS * len(data.folds)
            found["cut"] = (
                bool(learner.self_tuned_hyperparameters) and outcome.fit_seconds > max_seconds
            )
    except Exception as error:  # noqa: BLE001 - a learner may raise anything at all
        found["fault"] = str(error)
    return {**found, "seconds": (time.process_time() - start) / len(data.folds)}


def _run_in_child(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of a function in a process limited to :data:`LIMIT`.

    Its clock counts CPU seconds, as learners with a time limit would end early on a busy machine.
    """
    import resource  # not on Windows

    with NamedTemporaryFile(suffix=".pickle") as file:
        if (child := os.fork()) == 0:
            wall = read_awake_seconds  # saved, as the loop also replaces this module's name
            for module in list(sys.modules.values()):
                if getattr(module, "read_awake_seconds", None) is wall:
                    vars(module)["read_awake_seconds"] = time.process_time
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            exit_code = 1
            try:
                Path(file.name).write_bytes(pickle.dumps(work()))
                exit_code = 0
            finally:
                os._exit(exit_code)
        _, status = os.waitpid(child, 0)
        if status:
            return {"fault": "ended", "seconds": np.inf}
        outcome: dict[str, Any] = pickle.loads(Path(file.name).read_bytes())
        return outcome


def main() -> int:
    """Parse the command line and work."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("job", choices=("trials", "learn", "join"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--kinds", nargs="*", default=[])
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    if options.job == "trials":
        trials(options.data, options.work, options.only, options.kinds, options.rows)
    elif options.job == "join":
        from portfolio_joining import join

        join(options.work, candidates())
    else:
        from portfolio_learning import learn

        learn(options.work, candidates(), options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
