"""Histories with random predictions, of either task, with failed trials among them."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from studio.arrays import Floats, Integers
from studio.trial import History, Trial

MakeHistory = Callable[..., History]


@pytest.fixture
def make_history() -> MakeHistory:
    """Return a maker: trials of growing skill, soft or label-only, stored as in the document."""

    def make(
        trials: int,
        n_classes: int,
        rows: int = 40,
        failed: Sequence[int] = (),
        seed: int = 0,
        one_hot: bool = False,
    ) -> History:
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, n_classes, rows) if n_classes else rng.normal(size=rows)
        history = History(truth, n_classes)
        for number in range(1, trials + 1):
            if number in failed:
                history.append(Trial(number, {}, 0, None, cause="it failed"), None)
                continue
            if n_classes:
                scores = rng.normal(size=(rows, n_classes))
                scores[np.arange(rows), truth] += 0.5 + number / trials
                if one_hot:
                    predictions = np.eye(n_classes, dtype=np.float16)[scores.argmax(axis=1)]
                else:
                    predictions = np.exp(scores)
                    predictions = (predictions / predictions.sum(axis=1, keepdims=True)).astype(
                        np.float16
                    )
                loss = float(np.mean(predictions.argmax(axis=1) != truth))
            else:
                predictions = (truth + rng.normal(size=rows)).astype(np.float32)
                loss = float(np.sqrt(np.mean((predictions - truth) ** 2)))
            history.append(Trial(number, {}, 0, loss, selection=float(rng.random())), predictions)
        return history

    return make


@pytest.fixture
def over_rows() -> Callable[[History, Integers, Floats | None], History]:
    """Return a function that restricts a history to (repeated or weighted) rows."""

    def over(history: History, rows: Integers, weights: Floats | None = None) -> History:
        restricted_history = History(history.truth[rows], history.n_classes, weights=weights)
        for trial in history.trials:
            predictions = (
                None if trial.loss is None else history.get_predictions(trial.number)[rows]
            )
            restricted_history.append(trial, predictions)
        return restricted_history

    return over
