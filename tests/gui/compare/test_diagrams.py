"""Diagrams and result tables of a comparison: display, export and presentation."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.compare.answers import InterimResults
from studio.compare.tables.table import ResultTable, TableCell, make_plain_cells
from studio.figures.shapes import Box, Diagram, Dot, TextLabel
from studio.figures.shapes import Path as Line
from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.sections import (
    EMPTY_MESSAGES,
    EXPLANATIONS,
    ResultSection,
    ResultsTable,
    render_all,
    save_diagram,
    save_table,
)
from studio.gui.pages.compare.study_view import ANSWER, TABS, StudyView
from studio.gui.plots.base.header import FullScreen
from studio.gui.session.session import Session
from studio.gui.widgets.diagram_view import DiagramView, get_colour
from studio.helper.answers import decode, encode
from studio.system_faults import shorten_name
from tests.gui.visible_content import get_visible_text

DIAGRAM = Diagram(
    "spread", "Spread", "How it is read.", 200.0, 100.0,
    (
        Line(((0.0, 10.0), (100.0, 10.0)), "series 0", 2.0),
        Line(((0.0, 50.0), (100.0, 50.0)), "border"),
        Box(20.0, 60.0, 20.0, 20.0, "series 1", filled=False),
        Dot(150.0, 50.0, 4.0, "series 2"),
        TextLabel(10.0, 95.0, "iteration", "middle", "muted"),
    ),
)  # fmt: skip

TABLE = ResultTable(
    "errors", "Errors", "How they came about.", ("data set", "A", "B"),
    ((TableCell("one"), TableCell("4.21", is_best=True, note="[4.0, 4.5]"),
      TableCell("9.00", worse=True)),),
    ("one: undecided.",),
)  # fmt: skip


def test_diagrams_round_trip_through_helper() -> None:
    results = InterimResults(1, ("a",), {"errors": TABLE}, {"spread": DIAGRAM}, "# Report")
    assert decode(InterimResults, json.loads(json.dumps(encode(results)[0])), {}) == results


def test_diagram_uses_theme_colours(qtbot: QtBot) -> None:
    view = DiagramView()
    qtbot.addWidget(view)
    view.show_diagram(DIAGRAM)
    view.resize(400, view.heightForWidth(400))
    picture = view.grab().toImage()
    scale = view.heightForWidth(400) / DIAGRAM.height
    colour_name = picture.pixelColor(round(50 * scale), round(10 * scale)).name()
    assert colour_name == get_colour("series 0", theme.current()).name()
    assert view.toolTip() == DIAGRAM.caption


def test_result_table_marks_best_and_significantly_worse(qtbot: QtBot, qtmodeltester: Any) -> None:
    view = ResultsTable()
    qtbot.addWidget(view)
    view.show_table(TABLE)
    qtmodeltester.check(view.results)
    best, worse = (view.results.index(0, column) for column in (1, 2))
    assert "the best" in best.data(Qt.ItemDataRole.ToolTipRole)
    assert "significantly worse" in worse.data(Qt.ItemDataRole.ToolTipRole)
    assert best.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight.value
    assert not view.grab().isNull()
    view.selectAll()
    assert view.get_selected_text() == "one\t4.21 [4.0, 4.5]\t9.00"


def test_long_table_header_is_not_truncated(qtbot: QtBot) -> None:
    view = ResultsTable()
    qtbot.addWidget(view)
    head = "processor seconds of all workers per run for suggestions, median (quartiles)"
    view.show_table(
        ResultTable("cost", "Cost", "", ("method", head), (make_plain_cells("RS " * 200, "0.1"),))
    )
    header = view.horizontalHeader()
    assert header.sectionSize(1) >= header.sectionSizeHint(1) > 440 == header.sectionSize(0)


def test_result_format_follows_file_suffix(qapp: Any, tmp_path: Path) -> None:
    save_table(TABLE, tmp_path / "t.tex")
    assert r"\textbf{4.21}" in (tmp_path / "t.tex").read_text("utf-8")
    save_table(TABLE, tmp_path / "t.md")
    assert "**4.21**" in (tmp_path / "t.md").read_text("utf-8")
    save_diagram(DIAGRAM, tmp_path / "d.png")
    assert QImage(str(tmp_path / "d.png")).width() == 2 * DIAGRAM.width
    results = InterimResults(1, ("A", "B"), {"errors": TABLE}, {"spread": DIAGRAM}, "# Report\n")
    contents = render_all(results)
    assert sorted(contents) == ["errors.csv", "errors.tex", "report.md", "spread.png", "spread.svg"]
    assert all(contents.values())


def test_statistics_have_explanations() -> None:
    section_keys = {key for tab in TABS for _, key, _ in tab.sections}
    assert section_keys == set(EXPLANATIONS)
    assert set(EMPTY_MESSAGES) - {""} <= section_keys


def test_pending_results_show_message(qtbot: QtBot) -> None:
    section = ResultSection("table", "pairs", "Pairs")
    qtbot.addWidget(section)
    table = replace(TABLE, key="pairs", remarks=())
    section.show_results(InterimResults(1, ("A", "B"), {"pairs": table}, thorough=False))
    assert "being computed" in get_visible_text(section)
    section.show_results(InterimResults(1, ("A", "B"), {"pairs": table}))
    assert "being computed" not in get_visible_text(section)
    section.show_results(InterimResults())
    assert "two data sets" in get_visible_text(section)
    assert not section.save_button.isVisibleTo(section)


def test_section_can_be_saved(qtbot: QtBot, tmp_path: Path) -> None:
    section = ResultSection("table", "errors", "Errors")
    qtbot.addWidget(section)
    section.show_results(InterimResults(1, ("A", "B"), {"errors": TABLE}))
    section.save_to(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text("utf-8").startswith("data set,A,A note,B")
    with qtbot.waitSignal(section.failed) as blocker:
        section.save_to(tmp_path / "nowhere" / "t.csv")
    assert shorten_name(str(tmp_path / "nowhere" / "t.csv")) in blocker.args[0]


def test_diagram_font_size_is_bounded(qtbot: QtBot) -> None:
    view = DiagramView()
    qtbot.addWidget(view)
    view.resize(1800, 1200)
    view.show_diagram(DIAGRAM)
    assert 1.0 < view.heightForWidth(1800) / DIAGRAM.height <= 1.25


@pytest.mark.parametrize("kind", ["table", "diagram"])
def test_full_screen_button_toggles_table_or_diagram(kind: str, qtbot: QtBot) -> None:
    key = "errors" if kind == "table" else "rank-over-iterations"
    section = ResultSection(kind, key, "Errors")
    qtbot.addWidget(section)
    section.resize(700, 400)
    section.show()
    diagrams = {key: replace(DIAGRAM, key=key)}
    section.show_results(InterimResults(1, ("A", "B"), {"errors": TABLE}, diagrams))
    layout_index = section.layout().indexOf(section.view)
    qtbot.mouseClick(section.full_button, Qt.MouseButton.LeftButton)
    (full,) = section.findChildren(FullScreen)
    assert section.view.window() is full and full.isFullScreen()
    assert theme.scale() >= 1.0
    if isinstance(section.view, DiagramView):
        full.resize(1366, 768)
        qtbot.waitUntil(lambda: section.view.height() > 600)
        assert section.view._compute_scale(section.view.width()) > 2.0, "it fills the space"
    for each in full.findChildren(QPushButton):
        assert each.accessibleName()
    qtbot.keyClick(section.view, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not section.findChildren(FullScreen))
    assert section.view.window() is section and section.view.isVisible()
    assert section.layout().indexOf(section.view) == layout_index
    assert not isinstance(section.view, DiagramView) or section.view.hasHeightForWidth()
    assert theme.scale() == 1.0


def test_presentation_mode_hides_captions_and_explanations(qtbot: QtBot) -> None:
    section = ResultSection("table", "errors", "Errors")
    qtbot.addWidget(section)
    section.show_results(InterimResults(1, ("A", "B"), {"errors": TABLE}))
    caption = TABLE.caption
    assert caption not in get_visible_text(section), "folded"
    section.method.header_button.setChecked(True)
    assert caption in get_visible_text(section) and EXPLANATIONS["errors"] in get_visible_text(
        section
    )
    get_appearance().set_presenting(True)
    try:
        section.show_results(InterimResults(2, ("A", "B"), {"errors": TABLE}))
        assert caption not in get_visible_text(section) and EXPLANATIONS[
            "errors"
        ] not in get_visible_text(section)
        assert "undecided" in get_visible_text(section) and section.view.isVisibleTo(section)
    finally:
        get_appearance().set_presenting(False)
    assert caption in get_visible_text(section) and EXPLANATIONS["errors"] in get_visible_text(
        section
    )


@pytest.mark.slow
def test_results_that_failed_are_not_called_too_early(
    page: ComparePage, put_study: Any, session: Session, qtbot: QtBot
) -> None:
    put_study(session.document)
    session.following.poll()
    page.model.poll()
    qtbot.waitUntil(lambda: page.model.grid.n_planned_runs == 8)
    (view,) = page.findChildren(StudyView)
    section = view.sections[ANSWER][0]
    assert section._missing_label.text()
    page.model._on_results_error("a reason")
    assert view.problem_label.text() == "a reason"
    assert not section._missing_label.text()
