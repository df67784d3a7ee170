"""The top bar shows the iteration that the page shows."""

from typing import Any

import pytest

from studio.gui.shell.window import MainWindow

pytestmark = pytest.mark.slow


def test_top_bar_shows_end_of_run_beside_its_result(
    recorded_window: MainWindow, qtbot: Any
) -> None:
    window, state = recorded_window, recorded_window.top_bar.state
    end = state.text()
    window.session.run_selection.choose_iteration(30)
    assert "30" in state.text()
    window.show_page("results")
    assert state.text() == end and "30" not in end
    window.show_page("live")
    assert "30" in state.text()
    window.show_page("results")
    window.session.run_selection.choose_iteration(31)
    assert state.text() == end
