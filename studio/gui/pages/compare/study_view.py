"""View of an existing study: progress, results and grid, in tabs."""

from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from studio.compare.answers import write_files
from studio.compare.cell_names import drop_repetition
from studio.gui.base import saving, theme
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.menus import make_temporary_menu, open_menu_below
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.pages.compare.grid_table import GridTable, SymbolLegend
from studio.gui.pages.compare.grid_view import GridView
from studio.gui.pages.compare.model import StudyModel
from studio.gui.pages.compare.sections import DIAGRAM, TABLE, ResultSection, render_all
from studio.gui.pages.compare.study_descriptions import (
    add_longest_run,
    describe_size,
    format_progress,
    list_failures,
)
from studio.gui.widgets import kit
from studio.gui.widgets.flow import HeightForWidthWidget, StableHeightColumn
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import N_, ntr, tr, translate

ANSWER, RANKS, TIME, RUNS = "answer", "ranks", "time", "runs"


class Section(NamedTuple):
    """One table or diagram of a tab: its kind and key, and its title while it is empty."""

    kind: str
    key: str
    title: str


@dataclass(frozen=True)
class Tab:
    """A tab of results, with its sections from top to bottom."""

    key: str
    title: str
    tip: str
    sections: tuple[Section, ...] = ()


TABS = (
    Tab(
        ANSWER,
        N_("Answer"),
        N_("The test errors of each method, how much they vary, and what they cost"),
        (
            Section(DIAGRAM, "mean-errors", N_("Mean errors")),
            Section(TABLE, "errors", N_("Errors")),
            Section(DIAGRAM, "box-plots", N_("Spread")),
            Section(TABLE, "algorithms", N_("Algorithms")),
            Section(TABLE, "cost", N_("Cost")),
            Section(TABLE, "searches", N_("Searches")),
        ),
    ),
    Tab(
        RANKS,
        N_("Ranks"),
        N_("Which method is ahead, and whether that may be due to chance"),
        (
            Section(TABLE, "ranks", N_("Ranks")),
            Section(DIAGRAM, "critical-difference", N_("Critical difference")),
            Section(TABLE, "wins", N_("Wins")),
            Section(TABLE, "pairs", N_("Pairs")),
            Section(TABLE, "differences", N_("Differences")),
        ),
    ),
    Tab(
        TIME,
        N_("Over time"),
        N_("Which method would be ahead if the searches had stopped earlier"),
        (
            Section(DIAGRAM, "rank-over-iterations", N_("During the search")),
            Section(DIAGRAM, "probability-over-iterations", N_("Pairs")),
            Section(TABLE, "rank-over-iterations", N_("During the search")),
        ),
    ),
    Tab(RUNS, N_("Runs"), N_("Runs by data set and method: progress and omitted runs")),
)


def _find_tab(key: str) -> int:
    return [tab.key for tab in TABS].index(key)


OVER_DATA_SETS = ("ranks", "critical-difference", "wins", "pairs", "probability-over-iterations")
"""Tables and diagrams that require several data sets."""


_MIN_TITLE_HEIGHT = 480
"""Height from which the page's title is shown, and that of the conclusion in title type while
presenting, at a scale of 1."""

_MAX_LINES, _MAX_LINES_IF_LOW = 4, 2
"""Height reserved for texts above the tabs: progress and a conclusion of two lines, in large type,
so that the tabs do not move when it appears; in a low window for the conclusion."""

_LEFT_OUT_HEIGHT, _MIN_LEFT_OUT_HEIGHT, _MIN_GRID_HEIGHT = 136, 72, 104
"""Largest and smallest height of the list of omissions, and smallest of the grid above it, at a
scale of 1."""


class StudyView(QWidget):
    """Shows a study."""

    failed = Signal(str)
    extend_requested = Signal(str)
    """An extension by "methods", "data" or "repetitions" was requested."""

    def __init__(self, model: StudyModel) -> None:
        super().__init__()
        self._model = model
        self.sections: dict[str, list[ResultSection]] = {}
        self._was_opened, self._is_finished, self._is_tall = False, False, True
        self._resize_timer = QTimer(self, interval=0, singleShot=True)
        self._resize_timer.timeout.connect(self._show_header)
        kit.column(
            kit.column(
                self._build_header(),
                self._build_progress(),
                self._build_tabs(),
                margin=(0, 0, kit.BAR, 0),
            ),
            (self.stack, 1),
            parent=self,
            margin=kit.SCROLLING_PAGE,
        )
        get_appearance().presenting_changed.connect(self._show_header)
        model.changed.connect(self._show)
        model.results_changed.connect(self._show_results)
        self._show()

    # ---- layout

    def _build_header(self) -> QHBoxLayout:
        self.title_label = kit.ElidedLabel("", "title")
        self.subtitle_label = kit.ElidedLabel("", "muted")
        tip = tr("Compute the missing runs; finished ones are kept")
        self.continue_button = kit.button(
            tr("Continue the comparison"), self._model.resume, kind="primary", icon="play", tip=tip
        )
        tip = tr("Stop and keep everything; you can continue later")
        self.stop_button = kit.button(tr("Stop"), self._model.stop, icon="stop", tip=tip)
        self.add_button = kit.button(
            tr("Add…"),
            lambda: open_menu_below(self.add_button, self.make_add_menu()),
            icon="add",
            tip=tr("Add methods, data sets or repetitions; only the missing runs are computed"),
        )
        tip = tr("All tables and diagrams for a paper, and a report, to a folder")
        self.export_button = kit.button(tr("Export…"), self.export_all, icon="export", tip=tip)
        header = kit.row(kit.column(self.title_label, self.subtitle_label, spacing=GRID // 2))
        header.setStretch(0, 1)
        # Optional buttons come first, so that the others do not move under the pointer.
        for button in (self.stop_button, self.continue_button, self.add_button, self.export_button):
            header.addWidget(button)
        return header

    def _build_progress(self) -> StableHeightColumn:
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the comparison"))
        self.progress_label = kit.label("", "muted", wrap=True)
        self.problem_label = kit.label("", "problem", wrap=True, selectable=True)
        self.conclusion_label = kit.label("", "section", wrap=True, selectable=True)
        self.updating_label = kit.label(tr("Updating…"), "muted")
        self.updating_label.setToolTip(
            tr("Runs have ended or the comparison has changed: the new answer is being computed")
        )
        policy = self.updating_label.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that the conclusion keeps its width
        self.updating_label.setSizePolicy(policy)
        self.remarks_label = kit.label("", "muted", wrap=True, selectable=True)
        self._texts = StableHeightColumn(
            self.bar,
            self.progress_label,
            self.problem_label,
            GRID // 2,
            kit.row(
                (self.conclusion_label, 1), (self.updating_label, 0, Qt.AlignmentFlag.AlignTop)
            ),
            n_lines=_MAX_LINES,
        )
        return self._texts

    def _build_tabs(self) -> QTabBar:
        self.grid, self.legend = GridTable(), SymbolLegend()
        self.exclusions_table: RecordTable[tuple[str, str]] = RecordTable(
            (
                ColumnSpec(tr("Left out"), lambda pair: pair[0], tr("Data set or run")),
                ColumnSpec(
                    tr("Reason"),
                    lambda pair: translate(pair[1]),
                    tr("The reason, and the remedy"),
                    is_stretched=True,
                ),
            ),
            tr("Excluded data sets and runs"),
            n_lines=2,
        )
        self.exclusions_table.setColumnWidth(0, theme.pixels(280))
        self.grid.setMinimumHeight(theme.pixels(_MIN_GRID_HEIGHT))
        pages = ((tr(tab.title), tr(tab.tip), self._make_tab(tab)) for tab in TABS)
        self.tabs, self.stack = kit.make_tab_stack(tr("Runs and results"), pages)
        self.tabs.currentChanged.connect(self._on_tab_change)
        return self.tabs

    def _make_tab(self, tab: Tab) -> QWidget:
        page = QWidget()
        if tab.key == RUNS:
            card, layout = kit.card(margin=0)
            layout.setContentsMargins(1, 1, 1, GRID)
            layout.addWidget(self.grid, 1)
            layout.addWidget(self.legend)
            layout.addWidget(self.exclusions_table)
            kit.column(card, parent=page, margin=(0, 0, kit.BAR, 0))
        else:
            kit.column(parent=page)
        return page

    def _fill_tab(self, tab: Tab) -> None:
        """Build a tab's content on first use."""
        content = HeightForWidthWidget()
        column = kit.column(parent=content, spacing=2 * GRID)
        self.sections[tab.key] = []
        for kind, key, title in tab.sections:
            section = ResultSection(kind, key, tr(title))
            section.failed.connect(self.failed)
            self.sections[tab.key].append(section)
            column.addWidget(section)
            if self._is_hidden(section):
                section.hide()
            if key == "errors":
                column.addWidget(self.remarks_label)
        column.addStretch(1)
        page = self.stack.widget(TABS.index(tab))
        layout = None if page is None else page.layout()
        assert layout is not None, "every tab has a place on the stack"
        layout.addWidget(kit.scroll_area(content))

    # ---- display

    def _is_hidden(self, section: ResultSection) -> bool:
        study = self._model.study
        return study is not None and len(study.data) < 2 and section.key in OVER_DATA_SETS

    def _show(self) -> None:
        study = self._model.study
        if study is None:
            return
        for section in chain.from_iterable(self.sections.values()):
            section.setHidden(self._is_hidden(section))
        title = tr("Ranks") if len(study.data) > 1 else tr("Differences")
        position = _find_tab(RANKS)
        self.tabs.setTabText(position, escape_mnemonics(title))
        grid = self._model.grid
        is_running, stopping = self._model.is_alive, self._model.is_stopping
        self.title_label.setText(study.title or tr("Comparison"))
        n_excluded = grid.count("out") if self._model.has_read_tables else None
        size = describe_size(study, n_excluded)
        text = add_longest_run(size, study.seconds, *self._model.longest_run)
        self.subtitle_label.setText(text)
        self.bar.setMaximum(max(1, grid.n_planned_runs))
        self.bar.setValue(grid.count("finished"))
        # A full progress bar only repeats the line below.
        self.bar.setVisible(is_running or grid.count("finished") < grid.n_planned_runs)
        self.progress_label.setText(
            self._describe_progress(grid, is_running=is_running, is_stopping=stopping)
        )
        self._show_problem()
        self.stop_button.setVisible(is_running)
        self.stop_button.setEnabled(not stopping)
        self.continue_button.setVisible(self._model.can_continue)
        self._show_header()
        self.grid.show_grid(grid)
        self.legend.show_states(grid)
        is_finished = bool(grid.rows) and grid.count("finished") >= grid.n_planned_runs
        is_finished = is_finished and not is_running
        if (grid.rows or is_running) and not self._was_opened:
            self._was_opened = True
            self.show_tab(ANSWER if is_finished else RUNS)
        elif is_finished and not self._is_finished and self.tabs.currentIndex() == len(TABS) - 1:
            self.show_tab(ANSWER)  # the awaited result
        self._is_finished = is_finished
        self._show_failures(grid)

    def _show_header(self, _: object = None) -> None:
        """Hide description and buttons in presentation mode, to make space for the results."""
        grid, presenting = self._model.grid, get_appearance().is_presenting
        is_finished = grid.count("finished") == grid.n_planned_runs and not self._model.is_alive
        is_finished = is_finished and bool(grid.rows)
        self.subtitle_label.setVisible(not presenting)
        study = self._model.study
        is_tall = self.height() >= theme.pixels(_MIN_TITLE_HEIGHT)
        has_space = is_tall and not presenting
        self.title_label.setVisible(has_space or bool(study and study.title))
        kit.set_role(self.conclusion_label, "title" if presenting and is_tall else "section")
        if is_tall != self._is_tall:
            self._is_tall = is_tall
            self._texts.reserve(_MAX_LINES if is_tall else _MAX_LINES_IF_LOW)
        self.progress_label.setVisible(not is_finished)  # the line above is then sufficient
        for each in (self.add_button, self.export_button):
            each.setVisible(not presenting)
        self._show_conclusion()

    def _arrange(self, tab: Tab) -> None:
        """Order a tab's sections, empty ones last."""
        sections = sorted(self.sections.get(tab.key, ()), key=lambda each: each.is_empty)
        if not sections:
            return
        content = sections[0].parentWidget()
        layout = None if content is None else content.layout()
        assert isinstance(layout, QVBoxLayout), "sections are one below the other"
        widgets: list[QWidget] = []
        for section in sections:
            widgets += [section, self.remarks_label] if section.key == "errors" else [section]
        for position, widget in enumerate(widgets):
            if layout.indexOf(widget) != position:
                layout.removeWidget(widget)
                layout.insertWidget(position, widget)

    def fill_screen(self) -> None:
        """Show only the tab's first diagram, else its first table, in full screen."""
        tab = TABS[self.tabs.currentIndex()]
        sections = [each for each in self.sections.get(tab.key, ()) if not each.is_empty]
        if sections:
            min(sections, key=lambda each: each.kind != DIAGRAM).fill_screen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the conclusion once the layout is complete."""
        super().resizeEvent(event)
        self._resize_timer.start()

    def _describe_progress(self, grid: GridView, *, is_running: bool, is_stopping: bool) -> str:
        coordinator = self._model.coordinator
        if is_stopping:
            return tr("Stopping; everything is kept…")
        is_reading = coordinator is not None and coordinator.stage == "reading"
        if is_running and coordinator is not None and is_reading and coordinator.reading:
            return tr("Reading {name}…", name=coordinator.reading)
        if not grid.rows and not is_running and not self._model.can_continue:
            return tr("Reading the comparison…")
        if not grid.rows:
            return tr("Starting…") if is_running else tr("Not started yet")
        seconds_left = None if coordinator is None else coordinator.remaining_seconds
        text = format_progress(grid, seconds_left, is_running=is_running)
        if not is_running and grid.count("finished") + grid.count("failed") < grid.n_planned_runs:
            return tr("{words} · stopped", words=text)
        return text

    def _show_failures(self, grid: GridView) -> None:
        failures = list_failures(grid, self._model.failures)
        reasons = dict.fromkeys((drop_repetition(name), text) for name, text in failures.items())
        table = self.exclusions_table
        table.records.show(list(reasons))
        table.setVisible(bool(reasons))
        needed = table.horizontalHeader().height() + table.verticalHeader().length()
        table.setMaximumHeight(min(theme.pixels(_LEFT_OUT_HEIGHT), needed + GRID))
        table.setMinimumHeight(min(theme.pixels(_MIN_LEFT_OUT_HEIGHT), table.maximumHeight()))
        title = tr("Runs")
        if failures:
            title = ntr("Runs ({count} left out)", "Runs ({count} left out)", len(failures))
        self.tabs.setTabText(len(TABS) - 1, escape_mnemonics(title))

    def _show_results(self) -> None:
        self.export_button.setEnabled(bool(self._model.results.finished))
        self._show_problem()
        self._show_conclusion()
        tab = TABS[self.tabs.currentIndex()]
        for section in self.sections.get(tab.key, ()):
            section.show_results(self._model.results)
        self._arrange(tab)

    def _show_problem(self) -> None:
        """Show why the study was rejected, else why its results could not be computed."""
        coordinator, message = self._model.coordinator, self._model.problem
        if coordinator is not None and coordinator.stage == "refused" and not self._model.is_alive:
            message = translate(coordinator.message) or message
        kit.show_text(self.problem_label, message)

    def _show_conclusion(self) -> None:
        """Show the study's conclusion: muted if outdated, and without remarks refuted since."""
        results, is_outdated = self._model.results, self._model.is_outdated
        is_comparing = self._model.is_comparing
        outdated_conclusions = results.provisional_conclusions if is_outdated else ()
        first, *other_remarks = results.conclusions or ("",)
        text = translate(first)
        if is_comparing and (not first or first in outdated_conclusions):
            text = tr("Comparing the finished runs…")
        kit.show_text(self.conclusion_label, text)
        self.conclusion_label.setDisabled(is_outdated or is_comparing)
        self.updating_label.setVisible(is_outdated and is_comparing)
        is_pending, has_failed = is_comparing and not results.finished, bool(self._model.problem)
        for section in chain.from_iterable(self.sections.values()):
            section.show_pending(is_pending, has_failed=has_failed)
        if ANSWER in self.sections:  # otherwise it would be shown nowhere
            current = (each for each in other_remarks if each not in outdated_conclusions)
            remarks = [translate(each) for each in current]
            study = self._model.study
            if study is not None and first and first not in results.provisional_conclusions:
                text = tr("Errors are those of the models of the search, without a refit.")
                if study.refit:
                    # “Over time” evaluates the models of the search, which may rank differently.
                    text = tr(
                        "Errors are those of the final models, refitted where there was time, on "
                        "all but the test rows; “Over time” shows the models before the refit."
                    )
                remarks.append(text)
            shown = "" if get_appearance().is_presenting else "\n".join(remarks)
            kit.show_text(self.remarks_label, shown)

    def show_tab(self, key: str) -> None:
        """Show a tab by its key."""
        index = _find_tab(key)
        if index == self.tabs.currentIndex():
            self._on_tab_change(index)  # setting the current index again emits no signal
        self.tabs.setCurrentIndex(index)

    def _on_tab_change(self, index: int) -> None:
        tab = TABS[index]
        if tab.sections and tab.key not in self.sections:
            self._fill_tab(tab)
        self._show_results()

    # ---- actions

    def make_add_menu(self) -> QMenu:
        """Return a menu of the possible extensions."""
        menu = make_temporary_menu(self)
        for kind, text in (
            ("methods", tr("Methods…")),
            ("data", tr("Data sets…")),
            ("repetitions", tr("Repetitions…")),
        ):
            menu.addAction(escape_mnemonics(text), partial(self.extend_requested.emit, kind))
        return menu

    def export_all(self) -> None:
        """Ask for a folder and write everything there."""
        name = QFileDialog.getExistingDirectory(self, tr("Choose a folder"))
        if not name:
            return
        folder, contents = Path(name), render_all(self._model.results)
        if saving.confirm_overwrite(self, [folder / each for each in contents]):
            with reporting_errors(self.failed.emit):
                files = write_files(folder, contents)
                self.progress_label.show()
                self.progress_label.setText(
                    ntr("{count} file written to {folder}", "{count} files written to {folder}",
                        len(files), folder=str(folder))
                )  # fmt: skip
