"""The line that says what suits the table."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.advice_line import AdviceLine, AdviceModel
from studio.gui.data_model import DataModel
from studio.gui.run_model import RunModel
from studio.gui.run_page import RunPage
from studio.gui.session.session import Session
from studio.gui.starter import Starter


@pytest.fixture
def window(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[SimpleNamespace]:
    session = Session()
    session.create(tmp_path / "d.studio")
    data, run = DataModel(session, helper), RunModel(session, helper)
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "1,3,x\n2,4,y\n" * 30, "utf-8")
    data.open_file(path)
    qtbot.waitUntil(lambda: data.ready, timeout=10_000)
    run.ask_catalogue()
    qtbot.waitUntil(lambda: run.catalogue is not None, timeout=10_000)
    advice = AdviceModel(data, run, session, helper)
    yield SimpleNamespace(session=session, data=data, run=run, advice=advice, helper=helper)
    session.close()


def asked(window: SimpleNamespace) -> int:
    return [task for task, _ in window.helper.asked].count("advice")


def test_the_advice_is_shown_and_taken(window: SimpleNamespace, qtbot: QtBot) -> None:
    line = AdviceLine(window.advice)
    qtbot.addWidget(line)
    assert line.isHidden()
    window.data.change(plan={**window.data.draft.plan, "seed": 7})
    window.advice.ask()
    qtbot.waitUntil(lambda: window.advice.advice is not None, timeout=10_000)
    assert not line.isHidden()
    assert line.sentence.text().startswith("For 60 rows, 2 columns and 2 classes, take EO-sqm")
    assert not line.use.isHidden()
    qtbot.mouseClick(line.use, Qt.MouseButton.LeftButton)
    assert window.run.draft.method == "EO-sqm"
    assert window.run.draft.metric == "error"
    assert window.data.draft.plan["folds"] == 10
    assert window.data.draft.plan["seed"] == 7
    assert window.session.space.value.name == "svm-rbf"
    assert line.use.isHidden()


def test_it_is_asked_once_for_each_description(window: SimpleNamespace, qtbot: QtBot) -> None:
    window.advice.ask()
    window.advice.ask()
    qtbot.waitUntil(lambda: window.advice.advice is not None, timeout=10_000)
    window.data.change(plan={**window.data.draft.plan, "seed": 3})
    window.advice.ask()
    assert asked(window) == 1
    window.data.set_role("a", "ignore")
    assert window.advice.advice is None
    qtbot.waitUntil(lambda: not window.data.busy, timeout=10_000)
    window.advice.ask()
    qtbot.waitUntil(lambda: window.advice.advice is not None, timeout=10_000)
    assert "1 column" in window.advice.advice["sentence"]
    assert asked(window) == 2


def test_a_table_that_cannot_be_used_has_no_advice(window: SimpleNamespace, qtbot: QtBot) -> None:
    line = AdviceLine(window.advice)
    qtbot.addWidget(line)
    for name in ("a", "b"):
        window.data.set_role(name, "ignore")
    qtbot.waitUntil(lambda: not window.data.busy, timeout=10_000)
    with qtbot.waitSignal(window.advice.changed, timeout=10_000):
        window.advice.ask()
    assert window.advice.advice is None
    assert line.isHidden()
    window.advice.take()
    assert window.run.draft.method is None


def test_the_run_page_asks_when_it_is_looked_at(window: SimpleNamespace, qtbot: QtBot) -> None:
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
    assert asked(window) == 0
    page.show()
    qtbot.waitUntil(lambda: not page.form.advice.isHidden(), timeout=10_000)
    assert asked(window) == 1
    page.form.advice.use.click()
    assert page.form.advice.use.isHidden()
    window.run.change(method="RS")
    assert not page.form.advice.use.isHidden()
    page.resize(900, 600)
    assert not page.grab().isNull()
