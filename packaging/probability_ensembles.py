#!/usr/bin/env python3
"""Compare final choices for metrics of probabilities, by the trials of finished runs.

    python packaging/probability_ensembles.py --runs FOLDER --work FOLDER

Every document of the first folder holds a finished run with test rows whose metric is 1 − AUC or
the log loss, and is called TABLE.METRIC.SEED.studio. Each method's choice from the stored
predictions of the trials is evaluated on the test rows. Results are kept in the second folder, one
file per run, and existing ones are not recomputed; then the summary is printed as Markdown.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.probabilities import BrierScore, LogLoss
from studio.data.metrics.rankings import Auc
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, get_pool
from studio.ensembles.calibration import PRIOR_ROWS, PRIOR_ROWS_CHOSEN, fit_temperature
from studio.ensembles.greedy import GreedySelection, count_candidates
from studio.ensembles.single_model import SingleBest, Stacking
from studio.runs.load import load_history, load_test_predictions
from studio.runs.prepare import build_ensemble, prepare
from studio.trial import History

SEED = 0
STEPS = 30
"""Steps of expectation maximisation from equal weights; stopping early is the shrinkage."""

Choose = Callable[[History], Ensemble]


def _sum_of(*metrics: Callable[[AnyArray, AnyArray], float]) -> Callable[..., float]:
    return lambda truth, mean: sum(metric(truth, mean) for metric in metrics)


def _smooth_auc(truth: Integers, mean: Floats) -> float:
    """Return a logistic loss of the ranking of pairs of rows."""
    score = np.log(mean[:, 1] + 1e-4) - np.log(mean[:, 0] + 1e-4)
    rng = np.random.default_rng(SEED)
    positive_scores, negative_scores = (rng.choice(score[truth == code], 4_000) for code in (1, 0))
    return float(np.log1p(np.exp(negative_scores - positive_scores)).mean())


def select_greedily(
    metric: Callable[..., float], size: int = 25, *, few: bool = False, bags: int = 0
) -> Choose:
    """Return a builder of greedy selection by a metric, from all or only the best trials."""
    builder = GreedySelection(loss="metric", size=size, bags=bags)

    def choose(history: History) -> Ensemble:
        return builder.build(_select_best(history) if few else history, metric, SEED)

    return choose


def _select_best(history: History) -> History:
    """Return the history with only as many of the best trials as the rows can distinguish."""
    pool, losses = get_pool(history), history.get_losses()
    best_numbers = pool[
        np.argsort(losses[pool - 1], kind="stable")[: count_candidates(len(history.truth))]
    ]
    best_history = history.take_first(0)
    for trial in history.trials:
        if trial.number in best_numbers:
            best_history.append(trial, history.get_predictions(trial.number))
        else:
            best_history.append(replace(trial, loss=None), None)
    return best_history


def weigh_best_trials(history: History) -> Ensemble:
    """Return the best few trials with the weights of a mixture, a few steps from equal ones."""
    history = _select_best(history)
    pool = get_pool(history)
    rows = np.arange(len(history.truth))
    true_class_shares = np.stack([
        history.get_predictions(int(number))[rows, history.truth].astype(np.float64) + 1e-4
        for number in pool
    ])  # fmt: skip
    weights = np.full(len(pool), 1.0 / len(pool))
    for _ in range(STEPS):
        weighted_shares = weights[:, None] * true_class_shares
        weights = (weighted_shares / weighted_shares.sum(axis=0)).mean(axis=1)
    return Ensemble(tuple(map(int, pool)), tuple(map(float, weights)), "mean")


WAYS: Mapping[str, Choose] = {
    "best single model": lambda history: SingleBest().build(history, LogLoss(), SEED),
    "by 1 − AUC, 25 choices": select_greedily(Auc()),
    "by 1 − AUC, 100 choices": select_greedily(Auc(), 100),
    "by 1 − AUC, from as many as rows allow": select_greedily(Auc(), few=True),
    "by 1 − AUC, 10 bags": select_greedily(Auc(), bags=10),
    "by 1 − AUC plus Brier score": select_greedily(_sum_of(Auc(), BrierScore())),
    "by 1 − AUC plus log loss": select_greedily(_sum_of(Auc(), LogLoss())),
    "by a smooth 1 − AUC": select_greedily(_smooth_auc),
    "by the log loss, 25 choices": select_greedily(LogLoss()),
    "by the log loss, 100 choices": select_greedily(LogLoss(), 100),
    "by the log loss, from as many as rows allow": select_greedily(LogLoss(), few=True),
    "by the log loss, 100 from as many": select_greedily(LogLoss(), 100, few=True),
    "by the log loss, 10 bags": select_greedily(LogLoss(), bags=10),
    "weights of a mixture": weigh_best_trials,
    "stacking of 5": lambda history: Stacking().build(history, LogLoss(), SEED),
    "stacking of 10, penalty 10": lambda history: Stacking(size=10, penalty=10.0).build(
        history, LogLoss(), SEED
    ),
}


def compute_test_losses(path: Path) -> dict[str, dict[str, float]]:
    """Return the test loss of each selection method in a document's run, by name."""
    with Document.open(path) as document:
        run_id = document.runs.list_all()[-1].id
        prepared = prepare(document, run_id)
        history = load_history(document, run_id, prepared)
        test = {
            int(number): load_test_predictions(document, run_id, int(number), prepared)
            for number in get_pool(history)
        }
        rows = prepared.split.test
        builders = {"as it is": lambda known: build_ensemble(prepared, known), **WAYS}
        binary = len(prepared.problem.classes) == 2
        return {
            name: _compute_losses(choose(history), history, test, prepared.problem.y[rows])
            for name, choose in builders.items()
            if binary or "smooth" not in name
        }


def _compute_losses(
    ensemble: Ensemble, history: History, test: Mapping[int, AnyArray | None], truth: Integers
) -> dict[str, float]:
    """Return the test losses of an ensemble, unchanged and at learned temperatures."""
    prediction = combine(test.__getitem__, ensemble)
    losses = {
        "auc": Auc().compute_loss(truth, prediction),
        "log-loss": LogLoss().compute_loss(truth, prediction),
        "members": float(len(ensemble.members)),
        "trials": float(len(history.succeeded)),
    }
    untempered = replace(ensemble, temperature=1.0)
    has_several_members = ensemble.combination == "mean" and len(ensemble.members) > 1
    for prior_rows in (PRIOR_ROWS, PRIOR_ROWS_CHOSEN):
        warm = untempered
        if has_several_members:
            mean_shares = combine(history.get_predictions, untempered)
            temperature = fit_temperature(mean_shares, history.truth, history.weights, prior_rows)
            warm = replace(untempered, temperature=temperature)
        losses[_format_tempered(prior_rows)] = LogLoss().compute_loss(
            truth, combine(test.__getitem__, warm)
        )
    return losses


def _format_tempered(few: int) -> str:
    return f"log-loss at T^(n/(n + {few:,}))"


def summary(work: Path, metric: str, lowered: str) -> str:
    """Return a table of each method's test loss relative to the runs' choice.

    Args:
        work: Folder of the results.
        metric: Of the runs.
        lowered: The loss that is compared.
    """
    by_table: dict[str, list[dict[str, dict[str, float]]]] = {}
    for path in sorted(work.glob(f"*.{metric}.*.json")):
        by_table.setdefault(path.name.split(".")[0], []).append(json.loads(path.read_text()))
    runs = sum(map(len, by_table.values()))
    lines = [
        f"{len(by_table)} tables, {runs} runs with `--metric {metric}`:",
        "",
        f"| way | {lowered} / that of today | standard error | tables better | members |",
        "|---|---:|---:|---:|---:|",
    ]
    for builder_name in ("as it is", *WAYS):
        logs, members = [], []
        for table_losses in by_table.values():
            pairs = [
                (each[builder_name], each["as it is"])
                for each in table_losses
                if builder_name in each
            ]
            if not pairs:
                continue
            metric_name = lowered.partition(" ")[0]
            logs.append(
                np.mean([np.log(one[lowered] / reference[metric_name]) for one, reference in pairs])
            )
            members.append(np.mean([one["members"] for one, _ in pairs]))
        if not logs:
            continue
        error = np.std(logs, ddof=1) / np.sqrt(len(logs)) if len(logs) > 1 else np.nan
        n_better = sum(each < 0 for each in logs)
        lines.append(
            f"| {builder_name} | {np.exp(np.mean(logs)):.4f} | {error:.4f} "
            f"| {n_better} of {len(logs)} | {np.mean(members):.1f} |"
        )
    return "\n".join(lines) + "\n"


def temperatures(work: Path, least: int) -> str:
    """Return the effect of a temperature after selection by log loss.

    Args:
        work: Where the results are.
        least: Minimum number of trials of a run.
    """
    by_table: dict[str, list[list[float]]] = {}
    for path in sorted(work.glob("*.json")):
        losses = json.loads(path.read_text())["by the log loss, 25 choices"]
        if losses["trials"] >= least and losses["members"] > 1:
            logs = [
                float(np.log(losses[_format_tempered(few)] / losses["log-loss"]))
                for few in (PRIOR_ROWS, PRIOR_ROWS_CHOSEN)
            ]
            by_table.setdefault(path.name.split(".")[0], []).append(logs)
    logs = np.array([np.mean(each, axis=0) for each in by_table.values()])
    runs = sum(map(len, by_table.values()))
    cells = [
        f"{np.exp(mean):.4f} ± {error:.4f}, {better} of {len(logs)}"
        for mean, error, better in zip(
            logs.mean(axis=0),
            logs.std(axis=0, ddof=1) / np.sqrt(len(logs)),
            (logs < 0).sum(axis=0),
            strict=True,
        )
    ]
    worst_ratios = np.exp(np.max([each for table in by_table.values() for each in table], axis=0))
    return (
        f"| {least} | {runs} | {' | '.join(cells)} | {worst_ratios[0]:.4f}, {worst_ratios[1]:.4f} |"
    )


def main() -> None:
    """Evaluate the remaining runs, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    for path in sorted(arguments.runs.glob("*.studio")):
        cached = arguments.work / f"{path.stem}.json"
        if not cached.exists():
            cached.write_text(json.dumps(compute_test_losses(path)))
    for metric in ("auc", "log-loss"):
        for lowered in ("auc", "log-loss", _format_tempered(PRIOR_ROWS)):
            print(summary(arguments.work, metric, lowered))
    print("\n".join(temperatures(arguments.work, least) for least in (2, 5, 9)))


if __name__ == "__main__":
    main()
