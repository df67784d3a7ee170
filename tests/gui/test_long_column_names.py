"""Columns with long names on a small screen."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QLabel, QToolTip
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.figures.shapes import TextLabel
from studio.gui.base import theme
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.one_row import OneRowView
from studio.gui.session.session import Session
from studio.questions.columns.figure import ImportanceRow, make_importance_diagram
from studio.questions.columns.view import ImportanceChart
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource

LONG = "a_name_without_a_single_space_" * 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    rows = "\n".join(f"{i},{i * 7 % 11},{i * 7 % 11 + i / 9}" for i in range(90))
    (folder / "t.csv").write_text(f"{LONG}1,{LONG}2,{LONG}y\n{rows}\n")
    path = folder / "work.studio"
    source = TableSource(path=str(folder / "t.csv"), target=f"{LONG}y")
    with Document.create(path) as document:
        run = document.runs.add("RS", RunSettings(method="RS", budget=2, source=source).to_json())
        Engine(document, run, lambda _: None, InlinePool).execute_run()
    return path


@pytest.mark.slow
def test_one_row_view_fits_page_with_long_names(
    finished: Path, tmp_path: Path, helper: Any, qtbot: QtBot
) -> None:
    session = Session()
    session.open(Path(shutil.copy(finished, tmp_path)))
    page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(page, before_close_func=lambda _: session.close())
    page.resize(920, 560)
    page.show()
    page.views.open("one_row")
    view = page.views.get_view(OneRowView)
    qtbot.waitUntil(lambda: "orders" in view.findings.reasons_label.text())
    qtbot.waitUntil(lambda: view.width() <= view.area.viewport().width())
    across = view.area.viewport().width()
    for part in (view.card, view.findings, view.findings.prediction_view, *view.card.fields):
        assert part.mapTo(view, part.rect().topRight()).x() <= across
    titles = [each for each in view.card.fields[0].findChildren(QLabel) if "…" in QLabel.text(each)]
    assert titles and LONG[:40] in titles[0].toolTip()
    answer, form = view.findings.prediction_view, view.card
    assert answer.mapTo(view, QPoint()).y() < form.mapTo(view, QPoint()).y()
    page.resize(1500, 560)
    qtbot.waitUntil(lambda: view.card.mapTo(view, QPoint()).x() < view.findings.x())
    assert view.findings.isAncestorOf(view.findings.prediction_view)


@pytest.mark.parametrize("width", [200.0, 330.0, 700.0])
def test_column_names_do_not_overlap_importance_values(width: float, qtbot: QtBot) -> None:
    text, more = "+7,5 (−2,4 à 17,6)", "more → " + LONG
    rows = [ImportanceRow(0, (0,), LONG, 1.0, (-1.0, 2.0), text, more, is_significant=False)]
    diagram = make_importance_diagram(rows, "", width)
    name, figures, beneath = (each for each in diagram.shapes if isinstance(each, TextLabel))

    def wide(text: str, of: TextLabel) -> int:
        font = theme.font(bold=of.bold)
        font.setPixelSize(round(of.size))
        return QFontMetrics(font).horizontalAdvance(text)

    elided_name = name.fit_text(lambda text: wide(text, name))
    assert "…" in elided_name
    assert name.x + wide(elided_name, name) < figures.x - wide(figures.text, figures)
    below = beneath.fit_text(lambda text: wide(text, beneath))
    assert beneath.x + wide(below, beneath) <= width


def test_elided_name_has_full_tooltip(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = ImportanceChart()
    qtbot.addWidget(chart)
    chart.show_rows(
        (ImportanceRow(0, (0,), LONG, 1.0, None, "+1", "higher", is_significant=False),), 0
    )
    tooltips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _, text, __: tooltips.append(text))
    position = QPoint(20, 10)
    chart.event(QHelpEvent(QHelpEvent.Type.ToolTip, position, chart.mapToGlobal(position)))
    assert tooltips[0].startswith(f"{LONG}: +1\nhigher")
