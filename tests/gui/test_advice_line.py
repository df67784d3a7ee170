"""The line of advice about the table."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.page import RunPage
from studio.gui.pages.run.start_card import AdviceLine
from studio.gui.session.session import Session
from studio.runs.settings import OPEN_METHODS, RunSettings
from studio.space.library import load
from studio.space.space import Space
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


@pytest.fixture
def window(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[SimpleNamespace]:
    session = Session()
    session.create(tmp_path / "d.studio")
    data, run = DataModel(session, helper), RunModel(session, helper)
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "1,3,x\n2,4,y\n1,3,y\n" * 20, "utf-8")
    data.open_file(path)
    qtbot.waitUntil(lambda: data.is_ready)
    run.request_catalogue()
    qtbot.waitUntil(lambda: run.catalogue is not None)
    advice = AdviceModel(data, run, session, helper)
    yield SimpleNamespace(session=session, data=data, run=run, advice=advice, helper=helper)
    session.close()


def count_requests(window: SimpleNamespace) -> int:
    return [task for task, _ in window.helper.asked].count("advice")


def find_line(window: SimpleNamespace, qtbot: QtBot) -> AdviceLine:
    """Return an advice line once the advice for the table has arrived."""
    line = AdviceLine(window.advice)
    qtbot.addWidget(line)
    window.advice.request()
    qtbot.waitUntil(lambda: window.advice.advice is not None)
    return line


def test_new_run_follows_advice(window: SimpleNamespace, qtbot: QtBot) -> None:
    line = find_line(window, qtbot)
    advice_text = line.sentence_label.text()
    assert contains_facts(advice_text, "60 rows", "2 columns", "2 classes", "proven models")
    assert window.advice.advice and not window.advice.get_differences()
    assert line.use_advice_button.isHidden()


CHANGES = {
    "space": lambda window: window.session.space.replace(load("svm-rbf"), "choose"),
    "edited": lambda window: window.session.space.replace(_make_edited_space(), "edit"),
    "method": lambda window: window.run.change(method="RS"),
    "no refit": lambda window: window.run.change(refit=False),
}


def _make_edited_space() -> Space:
    space = load("best")
    return replace(space, parameters=space.parameters[:-1])


ALSO_CHANGED = {
    "space": ("space", "Support vector"),
    "edited": ("space", "Proven models (edited)"),
    "method": ("method", "RS"),
    "divide_button": ("split", "Custom split"),
    "train_button": ("refit", "Refit at the end"),
    "no refit": ("refit", "No refit"),
}
"""Expected text of the line, and of its tooltip, for each change."""


def test_line_lists_changes_of_another_method(
    window: SimpleNamespace, qtbot: QtBot, tmp_path: Path
) -> None:
    rare = tmp_path / "rare.csv"
    rare.write_text("a,b,target\n" + "1,3,x\n" * 8 + "2,4,y\n3,5,y\n" * 60, "utf-8")
    window.data.open_file(rare)
    qtbot.waitUntil(lambda: window.data.is_ready and window.data.draft.n_rows == 128)
    line = find_line(window, qtbot)
    window.run.choose_method("RS", "binary")
    line.show_advice()
    assert line.sentence_label.text().endswith(": method, metric, space, split, refit.")
    assert contains_facts(line.sentence_label.toolTip(), "Method: RS", "Error rate", "Log loss")


@pytest.mark.parametrize("change", ["divide_button", "train_button", *CHANGES])
def test_advised_settings_can_be_changed_and_restored(
    window: SimpleNamespace, qtbot: QtBot, change: str
) -> None:
    line = find_line(window, qtbot)
    window.run.change(metric="log-loss")
    assert window.advice.advice
    assert not window.advice.get_differences(), "nothing is advised about the metric"
    if change in CHANGES:
        CHANGES[change](window)
        line.show_advice()
    else:
        qtbot.mouseClick(getattr(line, change), Qt.MouseButton.LeftButton)
        line.show_advice()
    assert not line.use_advice_button.isHidden()
    word, value = ALSO_CHANGED[change]
    assert word in line.sentence_label.text()
    assert value in line.sentence_label.toolTip()
    qtbot.mouseClick(line.use_advice_button, Qt.MouseButton.LeftButton)
    assert window.advice.advice and not window.advice.get_differences()
    assert line.use_advice_button.isHidden()
    assert window.data.draft.advised
    assert window.run.draft.get_method("binary") == "best"
    assert window.session.space.value.name == "best"
    assert window.run.draft.metric == "log-loss"


def test_custom_split_starts_from_advised_split(window: SimpleNamespace, qtbot: QtBot) -> None:
    line = find_line(window, qtbot)
    with qtbot.waitSignal(line.split_requested):
        line.divide_button.click()
    assert (window.data.draft.advised, window.data.draft.plan.folds) == (False, 10)
    assert window.run.draft.get_refit("binary") is None, "if it helps"
    with qtbot.waitSignal(line.space_page_requested):
        line.space_button.click()
    line.show_advice()
    assert line.divide_button.isHidden() and not line.space_button.isHidden()


def test_advice_is_requested_once_per_table_and_time(window: SimpleNamespace, qtbot: QtBot) -> None:
    window.advice.request()
    window.advice.request()
    qtbot.waitUntil(lambda: window.advice.advice is not None)
    window.run.change(seed=3)
    window.advice.request()
    assert count_requests(window) == 1
    window.run.change(seconds=5.0)
    assert window.advice.advice is None
    window.advice.request()
    qtbot.waitUntil(lambda: window.advice.advice is not None)
    window.data.set_role("a", "ignore")
    assert window.advice.advice is None
    qtbot.waitUntil(lambda: not window.data.busy)
    window.advice.request()
    qtbot.waitUntil(lambda: window.advice.advice is not None)
    assert "1 column" in window.advice.advice.sentence
    assert count_requests(window) == 3


def test_unusable_table_has_no_advice(window: SimpleNamespace, qtbot: QtBot) -> None:
    line = AdviceLine(window.advice)
    qtbot.addWidget(line)
    for name in ("a", "b"):
        window.data.set_role(name, "ignore")
    qtbot.waitUntil(lambda: not window.data.busy)
    with qtbot.waitSignal(window.advice.changed):
        window.advice.request()
    assert window.advice.advice is None
    assert line.isHidden()
    window.advice.apply_advice()
    assert window.run.draft.method is None


def test_advice_is_requested_when_page_is_shown(window: SimpleNamespace, qtbot: QtBot) -> None:
    page = RunPage(
        window.run,
        window.data,
        window.session,
        advice=window.advice,
        starter=Starter(window.session, window.helper, window.data, window.run),
        helper=window.helper,
    )
    qtbot.addWidget(page)
    window.data.change(title="renamed")
    assert count_requests(window) == 0
    page.show()
    qtbot.waitUntil(lambda: not page.form.advice.isHidden())
    assert count_requests(window) == 1
    assert page.form.advice.use_advice_button.isHidden()
    page.form.methods.method_chosen.emit("RS")
    assert not page.form.advice.use_advice_button.isHidden()
    assert window.session.space.value.name == "sklearn-cash", "as nobody has chosen another one"
    page.form.advice.use_advice_button.click()
    assert page.form.advice.use_advice_button.isHidden()
    evaluation = page.form.settings.evaluation.header_button
    assert not evaluation.isChecked()
    page.form.advice.divide_button.click()
    assert evaluation.isChecked() and page.form.settings.split.isVisibleTo(page)
    page.resize(900, 600)
    assert not page.grab().isNull()


@pytest.mark.parametrize("is_catalogue_late", [False, True])
def test_repeated_run_shows_no_automatic_differences(
    window: SimpleNamespace, qtbot: QtBot, is_catalogue_late: bool
) -> None:
    find_line(window, qtbot)
    run = window.run
    if is_catalogue_late:  # as after "Run again without a column", before the Run page is opened
        run = RunModel(window.session, window.helper)
        window.advice._run = run
    run.copy_settings(
        RunSettings(
            method=window.advice.advice.method,
            overrides={"proposer.opening": 25},
            space=window.session.space.value.to_json(),
            refit=True,
            optional_refit=True,
        )
    )
    qtbot.waitUntil(lambda: not run.draft.overrides)
    run.change(seconds=120.0)
    window.advice.request()
    qtbot.waitUntil(lambda: window.advice.advice is not None)
    assert not window.advice.get_differences()


@pytest.mark.parametrize("method", OPEN_METHODS)
def test_run_without_resolved_method_is_copied_with_that_of_its_task(
    window: SimpleNamespace, qtbot: QtBot, method: str
) -> None:
    find_line(window, qtbot)
    window.run.change(method="RS-best")
    window.run.copy_settings(RunSettings(method=method))
    assert window.run.draft.method is None
    stored = window.run.draft.to_json() | {"method": method}
    assert type(window.run.draft).from_json(stored).method is None, "as older versions stored it"
    assert window.run.get_method(window.run.draft.get_method("binary")).advised
