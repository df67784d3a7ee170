"""A window in another language shows the same comparison of runs."""

from typing import Any

import pytest

from studio.gui.pages.live.page import LivePage
from studio.gui.shell.window import MainWindow

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("page", ["live", "data"])
@pytest.mark.parametrize("is_beside", [True, False])
def test_replaced_window_keeps_columns_and_time_axis(
    is_beside: bool, page: str, recorded_window: MainWindow, qtbot: Any
) -> None:
    old = recorded_window
    selection = old.session.run_selection
    (other,) = (view.row.id for view in old.session.runs.views if view.row.id != selection.run_id)
    selection.overlay(other, enabled=True)
    live = old.get_page_widget("live")
    assert isinstance(live, LivePage)
    if is_beside:
        live.bar.side_by_side_chip.click()
    is_by_time = selection.can_be_by_time and not selection.by_time
    selection.compare_by_time(is_by_time)
    old.show_page(page)
    new = MainWindow(helper=old.helper)
    qtbot.addWidget(new)
    new.take_over(old)
    new.show()
    try:
        assert new.page == page
        assert new.session.run_selection.by_time == is_by_time
        new.show_page("live")
        new_live = new.get_page_widget("live")
        assert isinstance(new_live, LivePage)
        assert new_live.bar.side_by_side_chip.isChecked() == is_beside
        assert [each.row.id for each in new.session.run_selection.overlaid_runs] == [other]
        assert new_live._is_side_by_side == is_beside
    finally:
        new.hide()
        new.session.close()
