"""LightGBM's part of a training that watches rows and the clock."""

from collections.abc import Mapping, Sequence
from typing import Any

from studio.arrays import AnyArray, Floats
from studio.learners.handover import Watched
from studio.learners.watched_rounds import UNWATCHED_ROUNDS, Clock, RoundsTraining


class BoostedTreesTraining(RoundsTraining):
    """Trains an ``LGBMClassifier`` or ``LGBMRegressor``.

    Args:
        options, rounds, classes: See :class:`~studio.learners.watched_rounds.RoundsTraining`.
        categories: Columns of codes, which LightGBM splits as categories.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        rounds: int | None,
        classes: bool,
        categories: Sequence[int] = (),
    ) -> None:
        super().__init__(options, rounds=rounds, classes=classes)
        self.categories = list(categories)

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Boost on X of shape (n, d), y of shape (n,), until the watched rows get no better."""
        model = super().train(X, y, sample_weight)
        if self.categories:
            # A clone, which has nothing but the parameters, is then trained alike.
            model.set_params(categorical_feature=self.categories)
        return model

    def boosted(self, X: Floats, y: AnyArray, sample_weight: Floats | None, rounds: int) -> Any:
        """Return an estimator of exactly this many rounds; X is (n, d), y and weights (n,)."""
        model = self._made(rounds)
        model.fit(X, y, sample_weight=sample_weight, categorical_feature=self._codes())
        return model

    def boosted_until(
        self,
        X: Floats,
        y: AnyArray,
        sample_weight: Floats | None,
        most: int,
        *,
        watched: Watched,
        clock: Clock,
    ) -> Any:
        """Return an estimator of ``clock.rounds`` rounds; X is (n, d), y and weights (n,)."""
        model = self._made(most)
        model.fit(
            X,
            y,
            sample_weight=sample_weight,
            eval_X=(watched.X,),
            eval_y=(watched.y,),
            eval_sample_weight=None if watched.weights is None else [watched.weights],
            categorical_feature=self._codes(),
            callbacks=[_Ending(clock)],
        )
        # What is handed over holds no trees after the best round, and says how many it has.
        model._Booster = _first(model.booster_, clock.rounds)
        model._best_iteration = 0
        model.set_params(n_estimators=clock.rounds)
        return model

    def library_estimator(self) -> Any:
        """Return an estimator with these options."""
        return self._made(UNWATCHED_ROUNDS)

    def _made(self, rounds: int) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        make = LGBMClassifier if self.classes else LGBMRegressor
        return make(**self.options, n_estimators=rounds)

    def _codes(self) -> Any:
        return self.categories or "auto"


class _Ending:
    """LightGBM's callback: ends the training when the clock says so."""

    order = 30
    before_iteration = False

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __call__(self, state: Any) -> None:
        """Show the watched rows' loss to the clock after a round."""
        from lightgbm.callback import EarlyStopException

        loss = state.evaluation_result_list[0][2]
        if self._clock.over(state.iteration + 1, loss, state.model.predict):
            raise EarlyStopException(self._clock.rounds - 1, state.evaluation_result_list)


def _first(booster: Any, rounds: int) -> Any:
    from lightgbm import Booster

    return Booster(model_str=booster.model_to_string(num_iteration=rounds))
