"""The view of all trials: a table, and below it what is selected."""

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from studio.analysis.answers.predictions import OwnTestLosses
from studio.gui.pages.results.views.leaderboard_model import (
    Key,
    Which,
    chosen,
    configured,
    entries,
)
from studio.gui.pages.results.views.leaderboard_table import LeaderboardTable, SettingsTable
from studio.gui.pages.results.views.model import algorithm, outcome
from studio.gui.plots.base.asking import Query, ResultView, Tools
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.language import grouped, ntr, tr, translate

_LEAST, _BELOW = 190, 132

_MANY, _PAUSE = 2_000, 1_000
"""Trials from which on the list of a run in progress is renewed once in this many milliseconds."""


class Leaderboard(ResultView):
    """Every trial with its errors, time and settings, or why it failed."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._tests = tools.asks("own_test_losses", OwnTestLosses, lambda *_: self._show())
        self._listed: tuple[object, ...] = ()
        self._ready = False
        self._later = QTimer(self, singleShot=True, interval=_PAUSE)
        self._later.timeout.connect(self._show)
        self._which: Which = "all"
        self._key: Key = "rank"
        self._descending = False
        self.search = kit.search(
            tr("Find a model or a setting…"),
            lambda _: self._show(),
            name=tr("Find trials"),
            tip=tr("Show only trials whose model, settings or cause contain these words"),
        )
        self._group = QButtonGroup(self)
        self.chips: dict[Which, QPushButton] = {
            "all": self._chip("all", tr("Every trial of the run")),
            "members": self._chip("members", tr("The members of the ensemble")),
            "failed": self._chip("failed", tr("Models that could not be trained, and why")),
        }
        self.board = LeaderboardTable()
        self.board.sorted_by.connect(self._sort)
        self.board.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        card, inside = kit.card(self.board)
        inside.setContentsMargins(1, 1, 1, 1)
        card.setMinimumHeight(_LEAST)
        row = kit.row(*self.chips.values(), (self.search, 1))
        kit.column(row, (card, 1), self._build_selected(), on=self)

    def _chip(self, which: Which, tip: str) -> QPushButton:
        return kit.chip("", partial(self._choose, which), tip=tip, group=self._group)

    def _build_selected(self) -> QWidget:
        self.words = kit.label("", wrap=True, selectable=True)
        self.settings = SettingsTable()
        self.settings.setFixedHeight(_BELOW)
        self.live = kit.button(
            tr("Show in Live"),
            self._open,
            icon="live",
            tip=tr("Show the run as it was when this trial finished"),
        )
        self.alone = kit.button(
            tr("Use it alone"),
            self._take,
            icon="predict",
            tip=tr("Predict with this trial instead of the ensemble, or export it"),
        )
        self._selected = kit.carded(self.words, self.settings, kit.row(self.alone, self.live, None))
        return self._selected

    # ---- showing

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """List the run's trials, as far as it has come."""
        self._ready = ready
        same = self._listed[:1] == (self._query(view).kind,)
        if same and not view.ended and len(view.trials) > _MANY:
            if not self._later.isActive():
                self._later.start()
        else:
            self._show()

    def _show(self) -> None:
        view = self.tools.session.shown.run
        found = None if view is None else outcome(view)
        if view is None or found is None:
            return
        if not self.isVisible():
            return
        query, unit = self._query(view), self.tools.models.unit(found.metric)
        if view.row.prepared:
            self._tests.ask(query)
        tested = None if self._tests.known is None else self._tests.known[0].moment
        state = (query.kind, query.moment, found.members, unit, tested, self.search.text())
        listed = (*state, self._which, self._key, self._descending)
        if listed == self._listed:  # with many thousands of trials a list takes a frame or two
            self._show_selected()
            return
        if self._listed[:1] != listed[:1]:
            self.board.clearSelection()  # it was of another run
        self._listed = listed
        answer = self._tests.of(query)
        tests = () if answer is None else answer.losses.tolist()
        lines = entries(view, {each.trial: each.weight for each in found.members}, tests)
        shown = chosen(
            lines, self._which, self.search.text(), self._key, descending=self._descending
        )
        self.board.show_entries(shown, unit)
        failed = sum(each.trial.status == "failed" for each in lines)
        said_of: dict[Which, str] = {
            "all": tr("All trials ({count})", count=grouped(len(lines))),
            "members": tr("Members ({count})", count=grouped(len(found.members))),
            "failed": tr("Failed trials ({count})", count=grouped(failed)),
        }
        for which, words in said_of.items():
            self.chips[which].setText(words)
            self.chips[which].setAccessibleName(words)
        self.chips["failed"].setVisible(failed > 0 or self._which == "failed")
        self._show_selected()

    def _show_selected(self) -> None:
        picked = [each.trial for each in self.board.picked]
        self._selected.setVisible(bool(picked))
        if not picked:
            return
        single = picked[0] if len(picked) == 1 else None
        self.settings.setVisible(single is None)
        for button in (self.live, self.alone):
            button.setVisible(single is not None)
        if single is None:
            self.words.setText(
                ntr(
                    "{count} trial side by side; settings that differ come first.",
                    "{count} trials side by side; settings that differ come first.",
                    len(picked),
                )
            )
            self.settings.show_trials(picked)
            return
        self.alone.setEnabled(single.loss is not None and self._ready)
        lines = [
            tr("Trial {number}: {model}", number=single.number, model=algorithm(single)),
            configured(single),
            translate(single.remedy),
        ]
        self.words.setText("\n".join(filter(None, lines)))

    def _query(self, view: RunView) -> Query:
        path = str(self.tools.session.path)
        return Query({"path": path, "run_id": view.row.id}, (path, view.row.id), len(view.trials))

    # ---- what the user does

    def _choose(self, which: Which) -> None:
        self._which = which
        self._show()

    def _sort(self, key: Key, descending: bool) -> None:
        self._key, self._descending = key, descending
        self._show()
        self.board.scrollToTop()

    def _open(self) -> None:
        (entry,) = self.board.picked
        self.tools.session.shown.choose_iteration(entry.trial.number)
        self.page_wanted.emit("live")

    def _take(self) -> None:
        (entry,) = self.board.picked
        self.trial_wanted.emit(entry.trial.number)
