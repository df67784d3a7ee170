"""The palette finds commands by name, term and common words."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDialog, QFrame, QWidget
from pytestqt.qtbot import QtBot

from studio.data.samples import list_samples
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.export.formats.registry import REGISTRY as FORMATS
from studio.gui.base.command import Command
from studio.gui.base.localisation import set_languages
from studio.gui.base.preferences import Preferences
from studio.gui.base.theme import GRID
from studio.gui.pages.data.reading_card import OPTIONS
from studio.gui.pages.live.registry import REGISTRY as PLOTS
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.session.session import Session
from studio.gui.shell import pages
from studio.gui.shell.commands.palette import find
from studio.gui.shell.frame.page_list import PAGES, SEARCH_WORDS
from studio.gui.shell.window import MainWindow
from studio.language import ENGLISH
from studio.proposers.spaces import get_space
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings
from studio.trial import Trial
from tests.gui.test_window import create_run

pytestmark = pytest.mark.slow

FIRST_FRENCH = {
    "seuil": "answer.decide", "coûts": "answer.decide",
    "courbe d'apprentissage": "answer.more_rows",
    "étalonnage": "answer.errors", "nouvelles données": "results.predict",
    "top 50": "answer.who_first",
    "valeurs manquantes": "page.data", "aberrantes": "page.data", "unités": "page.data",
    "fuite": "page.data", "expliquer": "answer.why", "mode sombre": "view.theme",
    "langue": "setting.program.language", "durée": "setting.run.seconds",
    "enregistrer les prédictions": "results.save", "confiance": "answer.one_row",
    "corrélation": "answer.why", "supprimer la colonne": "page.data",
    "fausse alerte": "answer.decide", "médiane": "page.data", "glossaire": "help.words",
    "imprimer": "export.report", "pdf": "export.report", "police": "setting.program.type_scale",
}  # fmt: skip
"""The same in French."""

FIRST = {
    # files
    "csv": "export.trials", "excel": "document.table", "import": "document.table",
    "upload": "document.table", "xlsx": "document.table", "dataset": "document.table",
    "load": "document.table", "save": "document.save", "copy": "document.save-as",
    "new": "document.new", "project": "document.new", "exit": "document.quit",
    "close": "document.close", "finder": "document.folder",
    # the data
    "columns": "page.data", "features": "page.data", "rows": "page.data", "groups": "page.data",
    "label": "setting.data.target", "target": "setting.data.target",
    "outcome": "setting.data.target", "classification": "setting.data.task",
    "regression": "setting.data.task", "delimiter": "setting.data.separator",
    "encoding": "setting.data.encoding", "umlauts": "setting.data.encoding",
    "decimal": "setting.data.decimal", "header": "setting.data.header",
    # the run
    "train": "run.start", "fit": "run.start", "go": "run.start", "cancel": "run.stop",
    "abort": "run.stop", "pause": "run.pause", "time limit": "setting.run.seconds",
    "minutes": "setting.run.seconds", "time": "setting.run.seconds",
    "budget": "setting.run.budget", "iterations": "setting.run.budget",
    "metric": "setting.run.metric", "accuracy": "setting.run.metric",
    "auc": "setting.run.metric", "rmse": "setting.run.metric", "f1": "setting.run.metric",
    "cores": "setting.run.workers", "number of cores": "setting.run.workers",
    "how to make a report": "export.report", "cpu": "setting.run.workers",
    "parallel": "plot.parallel", "threads": "setting.run.workers",
    "timeout": "setting.run.trial_seconds", "ram": "setting.run.trial_memory",
    "memory": "setting.run.trial_memory", "seed": "setting.run.seed",
    "reproducible": "setting.run.seed", "imbalanced": "setting.run.class_weights",
    "class weights": "setting.run.class_weights", "split": "setting.run.split",
    "cross-validation": "setting.run.split", "validation": "setting.run.split",
    "retrain": "setting.run.refit", "cluster": "setting.run.cluster",
    "hyperparameters": "page.space", "algorithms": "plot.algorithms",
    "models": "setting.run.budget",
    # views
    "confusion": "answer.errors", "confusion matrix": "answer.errors", "threshold": "answer.decide",
    "residuals": "answer.errors", "mistakes": "answer.errors", "feature importance": "plot.columns",
    "shap": "answer.one_row", "explain": "answer.why", "convergence": "plot.progress",
    "learning curve": "answer.more_rows", "weights": "page.data", "members": "plot.membership",
    "charts": "page.live", "plots": "page.live", "predict": "results.predict",
    "leaderboard": "answer.leaderboard", "benchmark": "page.compare",
    # exports
    "deploy": "export.pickle", "python": "export.pickle", "pdf": "export.report",
    "html": "export.report", "report": "export.report", "pickle": "export.pickle",
    "joblib": "export.pickle",
    # the program
    "dark": "view.theme", "theme": "setting.program.look", "language": "setting.program.language",
    "french": "setting.program.language", "font": "setting.program.type_scale",
    "bigger": "setting.program.type_scale", "preferences": "view.settings",
    "shortcuts": "help.keys", "tutorial": "help.tour", "manual": "help.guide",
    "projector": "view.present", "presenting": "view.present", "leak": "page.data",
    "leakage": "page.data", "fullscreen": "view.full", "undo": "edit.undo",
    # analysts' terms
    "cutoff": "answer.decide", "cost": "answer.decide", "gain": "answer.decide",
    "lift": "answer.decide", "roc": "answer.errors", "calibrate": "answer.errors",
    "predict new data": "results.predict", "top 50": "answer.who_first",
    "score new customers": "answer.who_first", "missing values": "page.data",
    "outliers": "page.data", "units": "page.data", "drop column": "page.data",
    "dark mode": "view.theme", "font size": "setting.program.type_scale",
    "overfitting": "plot.progress", "save predictions": "results.save",
    "confidence": "answer.one_row", "correlation": "answer.why", "delete column": "page.data",
    "false alarm": "answer.decide", "german": "setting.program.language",
    "churn": "answer.who_first", "median": "page.data", "glossary": "help.words",
    "predict new rows": "results.predict", "hits": "answer.who_first",
    "hit rate": "answer.who_first", "expected hits": "answer.who_first", "delete run": "page.run",
    "why does someone cancel": "answer.why",
}  # fmt: skip
"""Search texts of newcomers → first result, in a document with a table and a run."""


@pytest.fixture
def window(qtbot: QtBot, helper: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """Return a window on a sample of two classes with a run that has a trial."""
    session = Session()
    monkeypatch.setattr(session.control, "start", lambda run: None)
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    helper.replaced["create_run"] = create_run
    new_window = MainWindow(session, helper)
    qtbot.addWidget(new_window, before_close_func=lambda _: new_window.session.close())
    new_window.show()
    new_window.opening.open_sample(
        next(each for each in list_samples() if each.key == "breast_cancer")
    )
    qtbot.waitUntil(lambda: new_window.data.is_ready and not new_window.data.busy)
    new_window.starter.start()
    qtbot.waitUntil(lambda: len(new_window.session.runs.views) == 1)
    assert session.path is not None
    with Document.open(session.path) as other:
        other.trials.add(
            1, Trial(1, {"algorithm": "knn"}, 0, 0.2), np.zeros((4, 2), np.float16), None,
            Iteration(1, 1, 0.2, None, 0.1),
        )  # fmt: skip
    qtbot.waitUntil(
        lambda: session.run_selection.run is not None and bool(session.run_selection.run.trials)
    )
    yield new_window


def first(typed: str, commands: list[Command]) -> str:
    matches = find(typed, commands)
    return matches[0].key if matches else ""


def test_palette_finds_every_command_by_name_and_keywords(window: MainWindow) -> None:
    commands = window.list_all_commands()
    by_key = {each.key: each for each in commands}
    search_terms_by_key = {
        **{f"page.{key}": SEARCH_WORDS[key] for key, *_ in PAGES},
        **{f"plot.{plot.key}": plot.search_terms for plot in PLOTS},
        **{f"answer.{each.key}": each.search_terms for each in QUESTIONS},
        **{f"export.{each.key}": each.search_terms for each in FORMATS},
        **{
            f"setting.run.{s.name}": s.search_terms
            for s in iter_settings(DeclaredSettings)
            if s.title and "regression" not in s.tasks
        },  # the window predicts classes
        **{f"setting.program.{s.name}": s.search_terms for s in iter_settings(Preferences)},
        **{f"setting.data.{key}": also for key, *_, also in OPTIONS},
    }
    assert {"setting.data.target", "setting.data.task", "setting.run.split"} <= set(by_key)
    for key, also in search_terms_by_key.items():
        command = by_key[key]
        assert also, f"{key} has no search terms"
        command_keys = [each.key for each in find(command.title, commands)]
        assert key in command_keys[:3], (key, command_keys[:3])
        for word in also.split():
            assert key in [each.key for each in find(word, commands)], (key, word)


def test_palette_finds_commands_by_common_words(window: MainWindow) -> None:
    commands = window.list_all_commands()
    first_keys = {query: first(query, commands) for query in FIRST}
    mismatches = [f"{k}: {v} instead of {FIRST[k]}" for k, v in first_keys.items() if v != FIRST[k]]
    assert not mismatches, "; ".join(mismatches)
    assert len(FIRST) >= 80


def test_palette_finds_commands_by_french_words(window: MainWindow) -> None:
    set_languages("fr")
    try:
        commands = window.list_all_commands()
        first_keys = {query: first(query, commands) for query in FIRST_FRENCH}
    finally:
        set_languages(ENGLISH)
    assert first_keys == FIRST_FRENCH


def test_setting_command_focuses_and_highlights_field(window: MainWindow, qtbot: QtBot) -> None:
    for query, page in (
        ("cores", "run"), ("accuracy", "run"), ("cross-validation", "run"), ("label", "data"),
        ("delimiter", "data"),
    ):  # fmt: skip
        run_first_command(query, page, window, qtbot)


def run_first_command(typed: str, page: str, window: MainWindow, qtbot: QtBot) -> None:
    """Run the first command found by this text, and check the focused field."""
    window.show_page("live")
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, typed)
    setting_name = window.palette_box.listed_commands[0].key.rpartition(".")[2]
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert window.page == page
    field = window.get_page_widget(page).reveal(setting_name)  # type: ignore[attr-defined]
    qtbot.waitUntil(field.isVisible)
    qtbot.waitUntil(lambda: field.hasFocus() or field.isAncestorOf(window.focusWidget()))
    (marked,) = (each for each in window.findChildren(QFrame, "pointed") if each.isVisible())
    position = field.mapToGlobal(field.rect().center())
    assert marked.rect().contains(marked.mapFromGlobal(position))


def test_preference_command_opens_settings_at_field(window: MainWindow, qtbot: QtBot) -> None:
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "french")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    qtbot.waitUntil(lambda: dialog.findChild(QFrame, "pointed") is not None)
    assert dialog.focusWidget() is dialog.fields["language"]  # type: ignore[attr-defined]
    dialog.accept()


def test_method_command_selects_its_space(window: MainWindow, qtbot: QtBot) -> None:
    assert window.session.space.value == get_space("best", "binary")
    window.run.request_catalogue()
    qtbot.waitUntil(lambda: window.run.catalogue is not None)
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "RS-post")
    assert window.palette_box.listed_commands[0].key == "method.RS-post"
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert (window.page, window.run.draft.method) == ("run", "RS-post")
    assert window.session.space.value == get_space("RS-post", "binary")


def test_search_offers_saving_predictions_for_excel(window: MainWindow) -> None:
    command_keys = [each.key for each in find("excel", window.list_all_commands())]
    assert command_keys.index("results.save") <= 2
    command_keys = [each.key for each in find("save predictions", window.list_all_commands())]
    assert command_keys == ["results.save", "results.predict", "answer.who_first"]


def test_search_finds_columns_words_and_guide_sections(window: MainWindow, qtbot: QtBot) -> None:
    def run(query: str) -> None:
        window.palette_box.open()
        qtbot.keyClicks(window.palette_box.field, query)
        qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)

    run("worst texture")
    assert window.page == "data"
    assert window.get_page_widget("data").panel.column == "worst texture"  # type: ignore[attr-defined]
    reader = window.help.reader
    for query, heading in (("incumbent", "Best so far (incumbent)"), ("ranges", "Ranges")):
        run(query)
        top = reader.cursorForPosition(QPoint(1, 2 * GRID)).block()
        assert window.help.isVisible() and heading in {top.text(), top.next().text()}


def test_empty_search_lists_searchable_categories(window: MainWindow, qtbot: QtBot) -> None:
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "qqqq")
    assert "columns" in window.palette_box.empty_label.text()
