"""Advice to continue a search that has hardly begun."""

from dataclasses import replace

import pytest

from studio.analysis.more_time import FEW_MODELS, advise_more_time
from studio.trial import Trial
from tests.results import make_result

MODEL = Trial(1, {"algorithm": "knn"}, 0, 0.1)
FAILED = Trial(2, {"algorithm": "qda"}, 0, None, "It ran out of memory.")
UNFINISHED = replace(FAILED, failure="time")
REJECTED = replace(FAILED, failure="early")


@pytest.mark.parametrize(
    ("trials", "n_models"),
    [
        ([MODEL], 1),
        ([MODEL, FAILED, UNFINISHED], 1),
        ([MODEL, REJECTED, FAILED], 2),
        ([MODEL] * FEW_MODELS + [UNFINISHED] * 9, FEW_MODELS),
        ([MODEL, replace(MODEL, concluding=True)], 1),
    ],
)
def test_few_models_are_counted(trials: list[Trial], n_models: int) -> None:
    advice = advise_more_time(make_result(), trials)
    assert ("one" if n_models == 1 else f"{n_models}") in advice.split()
    assert not advise_more_time(make_result(exhausted="Nothing is left."), trials)
    assert not advise_more_time(None, trials), "the run has not ended"


@pytest.mark.parametrize("trials", [[], [FAILED, UNFINISHED], [MODEL] * (FEW_MODELS + 1)])
def test_other_runs_get_no_advice(trials: list[Trial]) -> None:
    assert not advise_more_time(make_result(), trials)
