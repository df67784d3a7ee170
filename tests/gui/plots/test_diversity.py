"""Member error against diversity, and the views of the diversity plot."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.figures.marks import Dots, are_finite
from studio.gui.plots.base.plot import Alignment
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.diversity import (
    DiversityPlot,
    describe_ensemble,
    describe_member,
    make_diversity_data,
    make_members_data,
    summarise_plot,
)
from tests.gui.plots.examples import DIVERSITY, make_constant_answer
from tests.gui.visible_content import get_scene_position

SubjectMaker = Callable[..., Subject]


@pytest.fixture
def series(make_series: Callable[[int], RunSeries]) -> RunSeries:
    return make_series(20)


def test_members_have_error_and_diversities(series: RunSeries) -> None:
    data = make_diversity_data(DIVERSITY, series, "diversity")
    mean = make_members_data(data, series, 20)
    np.testing.assert_allclose(mean.diversity, [0.2, 0.15, 0.25])
    np.testing.assert_allclose(mean.errors, 100 * series.losses[[1, 2, 4]])
    weights = dict(series.iterations[19].members)
    np.testing.assert_allclose(mean.weights, [weights.get(n, 0.0) for n in (2, 3, 5)])
    assert mean.ensemble_loss == pytest.approx(100 * series.iterations[19].ensemble_validation)


def test_diversity_descriptions_have_error_and_distance(series: RunSeries) -> None:
    data = make_diversity_data(DIVERSITY, series, "diversity")
    errors = make_members_data(data, series, 20)
    text = describe_member(errors, series, 2)
    assert text.startswith("trial 5")
    assert "from the others 0.250" in text
    assert "3 members" in describe_ensemble(errors, series)
    assert "better than" in describe_ensemble(errors, series)
    assert "a pair 0.200" in summarise_plot(data, "diversity")
    one = replace(errors, matrix=replace(errors.matrix, members=errors.matrix.members[:1]))
    unknown = replace(one, ensemble_loss=float("nan"))
    assert all("1 member  " in describe_ensemble(each, series) for each in (one, unknown))
    half = make_diversity_data(DIVERSITY, series, "disagreement")
    assert "10.0 % of the rows" in summarise_plot(half, "disagreement")


@pytest.fixture
def plot(qtbot: Any, plot_helper: Any) -> DiversityPlot:
    diversity_plot = DiversityPlot(plot_helper)
    qtbot.addWidget(diversity_plot)
    diversity_plot.resize(640, 420)
    diversity_plot.show()
    return diversity_plot


def _dots(plot: DiversityPlot) -> Dots:
    assert plot.current_figure is not None
    (dots,) = (each for each in plot.current_figure.marks if isinstance(each, Dots))
    return dots


def test_diversity_views_share_axes(plot: DiversityPlot, make_subject: SubjectMaker) -> None:
    plot.follow(make_subject(20))
    assert len(plot.get_table()[0]) == 4
    assert plot.scale.isVisible()
    plot.view.show_key("error")
    assert plot.get_table()[0] == ("trial", "error", "mean_diversity", "weight")
    assert not plot.scale.isVisible()
    dots = _dots(plot)
    assert "trial 2" in plot.describe_item_at(get_scene_position(plot.canvas, dots.x[0], dots.y[0]))
    plot.view.show_key("disagreement")
    assert plot.scale.isVisible()
    assert plot.get_table()[1][0][2] == pytest.approx(0.05)


def test_disagreement_is_undefined_for_regression(
    plot: DiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    plot_helper.answers["diversity"] = make_constant_answer(
        replace(DIVERSITY, is_classification=False)
    )
    plot.view.setCurrentIndex(plot.view.findData("disagreement"))
    plot.follow(make_subject(20))
    assert plot.view.key == "diversity"
    assert not plot.view.model().item(plot.view.findData("disagreement")).isEnabled()


def test_member_without_loaded_trial_has_no_dot(
    plot: DiversityPlot, make_subject: SubjectMaker, plot_helper: Any
) -> None:
    newer = replace(DIVERSITY, members=np.array([2, 3, 25]))
    plot_helper.answers["diversity"] = make_constant_answer(newer)
    plot.follow(make_subject(20))
    plot.view.show_key("error")
    assert plot.grab().width() > 0
    assert are_finite(_dots(plot).x, _dots(plot).y).tolist() == [True, True, False]


def test_adjacent_matrices_share_colour_scale(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plots = []
    for factor in (1.0, 0.5):
        plot_helper.answers["diversity"] = make_constant_answer(
            replace(DIVERSITY, diversity=factor * DIVERSITY.diversity)
        )
        plots.append(DiversityPlot(plot_helper))
        qtbot.addWidget(plots[-1])
        plots[-1].resize(640, 420)
        plots[-1].show()
        plots[-1].follow(make_subject(8))
    assert plots[0].scale_end > plots[1].scale_end
    Alignment().align(*plots)
    scales = [each.current_figure.scale for each in plots if each.current_figure is not None]
    assert scales[0] == scales[1]
