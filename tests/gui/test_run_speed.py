"""The speed of a run in trials per time."""

from collections.abc import Callable

from studio.gui.session.run_speed import SpeedMeter
from studio.gui.session.run_view import RunView
from studio.trial import Trial


def test_speed_is_measured_over_90_seconds(make_view: Callable[..., RunView]) -> None:
    now = [0.0]
    pace, view = SpeedMeter(lambda: now[0]), make_view()
    assert pace.estimate_speed(view) is None
    for second in range(1, 201):
        now[0] = float(second)
        if second <= 100 or second % 2:
            view.trials.append(Trial(len(view.trials) + 1, {}, 0, 0.1))
        speed = pace.estimate_speed(view)
    assert speed is not None
    assert abs(speed - 0.5) < 0.05


def test_paused_run_has_no_speed(make_view: Callable[..., RunView]) -> None:
    view = make_view(state="paused")
    view.trials = [Trial(1, {}, 0, 0.1)]
    assert SpeedMeter().estimate_speed(view) is None


def test_speed_of_replayed_run_is_reset(make_view: Callable[..., RunView]) -> None:
    now = [0.0]
    pace, view = SpeedMeter(lambda: now[0]), make_view()
    for n_trials in (0, 40, 80):
        view.trials = [Trial(number, {}, 0, 0.1) for number in range(1, n_trials + 1)]
        pace.estimate_speed(view)
        now[0] += 10.0
    for n_trials in (0, 5, 10):
        view.trials = [Trial(number, {}, 0, 0.1) for number in range(1, n_trials + 1)]
        speed = pace.estimate_speed(view)
        now[0] += 1.0
    assert speed == 5.0
