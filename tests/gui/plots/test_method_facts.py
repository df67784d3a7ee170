"""Method properties that determine plots and their sentences."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from studio.data.metrics.registry import get_metric
from studio.ensembles.registry import REGISTRY as BUILDERS
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.method_facts import (
    describe_selection,
    uses_posterior_mean,
    uses_surrogate,
)
from studio.gui.plots.quality.progress import make_choices_query
from studio.proposers.bayesian import ModelBased
from studio.proposers.composition import Preset
from studio.proposers.preset_table import PRESETS
from studio.proposers.registry import REGISTRY as PROPOSERS
from studio.runs.compatible import compose_checked
from studio.runs.settings import RunSettings, TableSource
from tests.facts import contains_facts

SubjectMaker = Callable[..., Subject]


def test_every_method_has_final_choice() -> None:
    posterior_mean_keys = {
        preset.key for preset in PRESETS if preset.parts.get("ensemble") == "posterior-mean"
    }
    assert posterior_mean_keys
    for preset in PRESETS:
        assert uses_posterior_mean(RunSettings(method=preset.key)) == (
            preset.key in posterior_mean_keys
        )


def test_concluding_builders_request_choices() -> None:
    for builder in BUILDERS:
        settings = RunSettings(overrides={"ensemble": builder.key})
        assert uses_posterior_mean(settings) == builder.adds_final_trial


@pytest.mark.parametrize(
    ("method", "metric", "overrides", "is_noted"),
    [
        ("RS-ES", "log-loss", {}, True),
        ("RS-ES", "error", {}, False),
        ("RS-ES", "log-loss", {"ensemble.loss": "metric"}, False),
        ("RS-post", "log-loss", {}, False),
        ("best", "log-loss", {}, False),
        ("RS", "log-loss", {}, False),
    ],
)
def test_error_based_selection_is_described(
    make_subject: SubjectMaker, method: str, metric: str, overrides: dict[str, str], is_noted: bool
) -> None:
    settings = RunSettings(
        source=TableSource(task="binary"), method=method, metric=metric, overrides=overrides
    )
    note = describe_selection(replace(make_subject(2), settings=settings, name="mine"))
    assert contains_facts(note, "mine", "error rate") is is_noted
    assert bool(note) is is_noted
    builder = compose_checked(settings, "binary").ensemble
    by_errors = builder.get_search_loss(get_metric(metric, "binary")) is not None
    assert is_noted is (by_errors and metric == "log-loss"), "as the method does"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda each: each.key)
def test_surrogate_plots_require_method_with_surrogate(preset: Preset) -> None:
    (proposer,) = (each for each in PROPOSERS if each.key == preset.parts["proposer"])
    assert uses_surrogate(RunSettings(method=preset.key)) == issubclass(proposer, ModelBased)


def test_choices_are_requested_for_posterior_mean_methods(make_subject: SubjectMaker) -> None:
    plain = make_subject(9)
    assert make_choices_query(plain) is None
    subject = replace(plain, settings=RunSettings(overrides={"ensemble": "posterior-mean"}))
    query = make_choices_query(subject)
    assert query is not None
    assert query.arguments["iteration"] == 8
    past = make_choices_query(replace(subject, selected_iteration=7))
    assert past is not None
    assert past.arguments["iteration"] == 7
