"""*Who first?*: a table that the user has chosen, and one predicted earlier."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.base import command_job, known_tables
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.ranked_rows import RankedRowsView
from studio.gui.pages.results.who_first.rows import LoadedPredictions
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.helper.tables import FileFit
from tests.gui.test_who_first import AGAIN, opened, predicted  # noqa: F401
from tests.small_runs import small_table  # noqa: F401


@pytest.mark.slow
@pytest.mark.parametrize("is_opened_during_check", [False, True])
def test_chosen_table_is_not_replaced_by_an_earlier_one(
    opened: Callable[[], ResultsPage],  # noqa: F811
    predicted: tuple[Path, LoadedPredictions],  # noqa: F811
    helper: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
    is_opened_during_check: bool,
) -> None:
    script = tmp_path / "program.py"
    script.write_text(AGAIN.format(kept=str(predicted[1].folder)), encoding="utf-8")
    monkeypatch.setattr(command_job, "make_studio_command", lambda: [sys.executable, str(script)])
    helper.replaced["check_table"] = lambda _: FileFit(90, sha256="a")
    earlier, chosen = tmp_path / "earlier.csv", tmp_path / "chosen.csv"
    for each in (earlier, chosen):
        each.write_text("a\n1\n")
    known_tables.record_opened([str(earlier)])
    page = opened()
    session = page._session
    run = session.run_selection.run
    assert run is not None
    run_id, path = run.row.id, session.path
    StoredPredictions(str(earlier), "a").store(session, run_id)
    session.close()
    assert path is not None
    session.open(path)
    n_requests = len(helper.asked)
    helper.held = is_opened_during_check
    page.predict_card.check(chosen)
    if is_opened_during_check:
        page.show_view("who_first")
        helper.release()
    view = page.views.get_view(RankedRowsView)
    qtbot.waitUntil(lambda: view.loaded_predictions is not None)
    qtbot.waitUntil(lambda: not page.job_tracker.is_busy)
    qtbot.wait(50)
    assert view.loaded_predictions is not None and view.isVisible()
    assert view.loaded_predictions.table == chosen and view.loaded_predictions.folder.exists()
    checked = [each["path"] for task, each in helper.asked[n_requests:] if task == "check_table"]
    assert checked == [str(chosen)]
    stored = StoredPredictions.load(session, run_id)
    assert stored is not None and stored.table == str(chosen)
