"""The axis of a range: positions, ticks, prior, dragging and stepping."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.pages.space.range_axis import HANDLES, RangeAxis, RangeAxisView, make_range_axis
from studio.space.ranges import Float, Integer


def make_axis(parameter: Float | Integer, log_axis: bool | None = None) -> RangeAxis:
    axis = make_range_axis(parameter, log_axis)
    assert axis is not None
    return axis


C = Float("C", 1e-5, 1e5, True)


def test_log_axis_has_decade_ticks() -> None:
    axis = make_axis(C)
    assert axis.to_position(1.0) == pytest.approx(0.5)
    assert axis.to_value(axis.to_position(42.0)) == pytest.approx(42.0)
    texts = [text for _, text in axis.make_ticks()]
    assert "1" in texts
    assert all(float(text) > 0 and np.log10(float(text)) % 1 == 0 for text in texts)
    assert len(texts) <= 7


def test_linear_ticks_are_round_and_even() -> None:
    assert [text for _, text in make_axis(Float("x", 0, 1)).make_ticks()] == ["0", "0.5", "1"]
    assert [text for _, text in make_axis(Integer("n", 0, 30)).make_ticks()] == [
        "0",
        "10",
        "20",
        "30",
    ]


def test_prior_is_flat_on_parameter_scale() -> None:
    assert (make_axis(C).compute_density()[1] == 1).all()
    places, falling = make_axis(Float("x", 1, 100, True), log_axis=False).compute_density()
    axis = make_axis(Float("x", 1, 100, True), log_axis=False)
    numbers = np.array([axis.to_value(index) for index in places.tolist()])
    assert numbers[-1] == pytest.approx(100)
    assert falling[0] == 1
    is_falling = falling < 1
    assert (falling * numbers)[is_falling] == pytest.approx((falling * numbers)[-1])
    rising = make_axis(Float("x", 1, 100), log_axis=True).compute_density()[1]
    assert rising[0] < 0.02
    assert (np.diff(rising) >= 0).all()


def test_dragging_snaps_to_round_numbers() -> None:
    axis = make_axis(C)
    new_range = axis.drag_handle("low", axis.to_position(0.00123), 0.01)
    assert new_range.low == 0.001
    assert axis.drag_handle("low", 1.0, 0.0).low == 1e5
    assert (
        axis.drag_handle("high", axis.to_position(0.01), 0.002).default
        == axis.drag_handle("high", axis.to_position(0.01), 0.002).high
    )
    assert axis.drag_handle("default", 0.0, 0.0).default == 1e-5
    assert make_axis(Float("x", 1, 2, True), False).drag_handle("low", 0.0, 0.0).low > 0


@pytest.mark.slow
@given(
    st.sampled_from(HANDLES),
    st.floats(-1, 2),
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
    st.booleans(),
)
def test_dragging_keeps_range_valid(
    handle: str, place: float, low: float, width: float, log: bool
) -> None:
    parameter = Float("x", abs(low) + 1e-3 if log else low, abs(low) + 1e-3 + width, log)
    axis = make_axis(parameter)
    new_range = axis.drag_handle(handle, place, 0.003)  # type: ignore[arg-type]
    assert new_range.low <= new_range.default <= new_range.high
    assert not log or new_range.low > 0


@pytest.mark.parametrize(
    "parameter", [Float("x", 2, 1), Float("x", 0, 1, True), Integer("n", 1, 10**13)]
)
def test_invalid_range_has_no_axis(parameter: Float | Integer) -> None:
    assert make_range_axis(parameter) is None


@pytest.mark.parametrize(
    "parameter", [Float("x", 1, 1), Integer("n", 3, 3), Float("x", 0, 0), Integer("n", 1, 1, True)]
)
def test_single_point_range_can_be_widened(parameter: Float | Integer) -> None:
    axis = make_axis(parameter)
    assert axis.start < axis.end
    assert axis.drag_handle("high", 0.9, 0.003).high > parameter.high


@pytest.fixture
def view(qtbot: QtBot) -> tuple[RangeAxisView, list[tuple[float, float, float]]]:
    ranges: list[tuple[float, float, float]] = []
    axis_view = RangeAxisView(lambda *ends: ranges.append(ends))
    qtbot.addWidget(axis_view)
    axis_view.resize(300, axis_view.sizeHint().height())
    axis_view.show_range(C)
    axis_view.show()
    return axis_view, ranges


def test_mouse_drag_of_range_end_is_one_edit(
    view: tuple[RangeAxisView, list[tuple[float, float, float]]], qtbot: QtBot
) -> None:
    axis, ranges = view
    position = QPoint(round(axis.get_handle_x("low")), 30)
    left_button = Qt.MouseButton.LeftButton
    qtbot.mousePress(axis, left_button, pos=position)
    for step in (20, 60, 80):
        qtbot.mouseMove(axis, position + QPoint(step, 0))
    qtbot.mouseRelease(axis, left_button, pos=position + QPoint(80, 0))
    assert len(ranges) == 1
    low, high, default = ranges[0]
    assert 1e-3 < low < 1
    assert (high, default) == (1e5, 1)


def test_range_axis_is_drawn_in_both_themes(
    view: tuple[RangeAxisView, list[tuple[float, float, float]]], qapp: QApplication
) -> None:
    axis, _ = view
    for tokens in (theme.DARK, theme.LIGHT):
        theme.apply(qapp, tokens)
        for parameter in (C, Integer("n", 1, 9, True), Float("x", 2, 1)):
            axis.show_range(parameter)
            assert not axis.grab().isNull()
    assert "is corrected" in axis.toolTip()
    axis.show_range(Integer("n", 1, 9, True))
    axis.switch_scale()
    assert axis.axis is not None
    assert not axis.axis.log_axis
