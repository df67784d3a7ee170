"""Leaderboard: a table of all trials, and details of the selected one."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from studio.analysis.answers.predictions import OwnTestLosses
from studio.gui.base import theme
from studio.gui.pages.results.views.model import algorithm, outcome, settings
from studio.gui.plots.base.asking import Query, ResultView, Tools
from studio.gui.session.learner_names import get_learner
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import describe_status
from studio.gui.widgets import kit
from studio.gui.widgets.plain_table import compute_column_width
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import N_, group_digits, ntr, number, percent, setting, tr, translate
from studio.measure import format_loss
from studio.numerals import NumeralFormat
from studio.trial import Trial

Which = Literal["all", "members", "failed"]
"""Filter of the leaderboard."""

BEFORE_REFIT = N_(
    "Test errors are those of the models that the search trained. The members were then refitted "
    "on more rows: “Answer” shows the test errors of these final models."
)

Key = Literal["rank", "weight", "number", "model", "loss", "test", "seconds"]
"""Sort key of the table."""


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A row of the leaderboard.

    Attributes:
        rank: Its place by the validation loss, from 1, the earlier of equals first; ``None``
            without one.
        test: Its test loss, if known.
        weight: In [0, 1]; ``None`` if it is not a member.
    """

    trial: Trial
    rank: int | None
    test: float | None = None
    weight: float | None = None


_VALUES: Mapping[Key, Callable[[LeaderboardEntry], Any]] = {
    "rank": lambda each: each.rank,
    "weight": lambda each: each.weight,
    "number": lambda each: each.trial.number,
    "model": lambda each: algorithm(each.trial).lower(),
    "loss": lambda each: each.trial.loss,
    "test": lambda each: each.test,
    "seconds": lambda each: each.trial.fit_seconds,
}

_APART = 10
"""Number of the best losses that are written with enough digits to differ."""

LARGEST_FIRST: frozenset[Key] = frozenset({"weight"})
"""Columns sorted in descending order at the first click."""


def entries(
    view: RunView, weights: Mapping[int, float], tests: Sequence[float] = ()
) -> list[LeaderboardEntry]:
    """Return a row for each trial of a run, the best first, then those without a loss.

    Args:
        tests: Test losses of trials 1, 2, …, as far as known; NaN for none.
    """
    good = [each for each in view.trials if each.loss is not None]
    good.sort(key=lambda each: (each.loss, each.number))
    ranked = [
        LeaderboardEntry(each, rank, _known_loss(tests, each.number), weights.get(each.number))
        for rank, each in enumerate(good, start=1)
    ]
    return ranked + [LeaderboardEntry(each, None) for each in view.trials if each.loss is None]


def filter_entries(
    lines: Sequence[LeaderboardEntry],
    which: Which,
    words: str,
    key: Key,
    *,
    descending: bool = False,
) -> list[LeaderboardEntry]:
    """Return the filtered rows, sorted; missing values come last in either order.

    Args:
        words: Words that each row's model, settings or cause must have, in any order.
    """
    wanted = words.lower().split()
    found = [
        each
        for each in lines
        if _is(each, which)
        and (not wanted or all(word in _get_search_text(each) for word in wanted))
    ]
    value = _VALUES[key]
    valued = [each for each in found if value(each) is not None]
    valued.sort(key=value, reverse=descending)
    return valued + [each for each in found if value(each) is None]


@dataclass(frozen=True)
class SettingDifference:
    """A hyperparameter's values in several trials; empty for none."""

    name: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether the values differ."""
        return len(set(self.values)) > 1


def side_by_side(trials: Sequence[Trial]) -> list[SettingDifference]:
    """Return the hyperparameters of trials, differing ones first, else in their own order."""
    names = dict.fromkeys(name for each in trials for name in each.configuration)
    alike = len({algorithm(each) for each in trials}) == 1
    found = [
        SettingDifference(
            name.rpartition(".")[2] if alike else name,
            tuple(
                setting(each.configuration[name]) if name in each.configuration else ""
                for each in trials
            ),
        )
        for name in names
    ]
    return sorted(found, key=lambda each: not each.differs)


def get_loss_format(lines: Sequence[LeaderboardEntry]) -> NumeralFormat:
    """Return the format of losses: four significant digits of the median.

    One or two more where the best ones would be written alike though they differ.
    """
    known = sorted(each.trial.loss for each in lines if each.trial.loss is not None)
    if not known:
        return NumeralFormat()
    middle, best = abs(known[len(known) // 2]), sorted(set(known))[:_APART]
    for digits in (4, 5, 6):
        how = NumeralFormat.stepped(middle, digits=digits)
        if len(set(map(how.text, best))) == len(best):
            break
    while how.places and all(how.text(each).partition("×")[0].endswith("0") for each in known):
        how = replace(how, places=how.places - 1)  # integers stay integers
    return how


def get_scale_limits(lines: Sequence[LeaderboardEntry]) -> tuple[float, float]:
    """Return the limits of the loss axis on which each trial is a dot.

    They are the best, and the worst or what is twice as far from the best as the middle one, if
    that is less: so losses that are nearly equal are apart, whatever the worst is.
    """
    known = sorted(each.trial.loss for each in lines if each.trial.loss is not None)
    if not known:
        return 0.0, 0.0
    best, middle = known[0], known[len(known) // 2]
    far = best + 2 * (middle - best)
    return best, min(known[-1], far) if middle > best else known[-1]


def hyperparameter_line(trial: Trial) -> str:
    """Return a trial's hyperparameters on one line, or why it has no loss."""
    return settings(trial) if trial.loss is not None else translate(trial.cause)


def _known_loss(tests: Sequence[float], number: int) -> float | None:
    if number > len(tests) or math.isnan(tests[number - 1]):
        return None
    return float(tests[number - 1])


def _is(entry: LeaderboardEntry, which: Which) -> bool:
    return {
        "all": True,
        "members": entry.weight is not None,
        "failed": entry.trial.status == "failed",
    }[which]


def _get_search_text(entry: LeaderboardEntry) -> str:
    trial = entry.trial
    key = get_learner(trial.configuration)
    cause = translate(trial.cause)
    return f"{trial.number} {algorithm(trial)} {key} {settings(trial)} {cause}".lower()


KEYS: tuple[Key | None, ...] = (
    "rank", "weight", "number", "model", "loss", "test", "seconds", None
)  # fmt: skip
"""Sort key of each column."""

_SAMPLES = ("", "100 %", "10,000", "", "100.0 %", "100.0 %", "100.00 s")
_RANK, _MODEL, _LOSS, _TEST = (KEYS.index(key) for key in ("rank", "model", "loss", "test"))

_MOST = 8
"""Maximum number of compared trials."""


class LeaderboardTable(RecordTable[LeaderboardEntry]):
    """A row per trial; the selection stays when the rows change."""

    sorted_by = Signal(str, bool)
    """A header was clicked: the key, and whether the order is descending."""

    def __init__(self) -> None:
        self._unit, self._how, self._ends = "", NumeralFormat(), (0.0, 0.0)
        super().__init__(self._columns(), tr("Leaderboard"))
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        header = self.horizontalHeader()
        header.setMinimumHeight(52)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self._on_header_click)
        self._by: tuple[Key, bool] = ("rank", False)
        self._models: set[str] = set()
        for section, sample in enumerate(_SAMPLES):
            self._widen(section, sample)

    def show_entries(self, lines: list[LeaderboardEntry], unit: str) -> None:
        """Show these rows in the metric's unit, keeping selection and scroll position."""
        self._unit, self._how, self._ends = unit, get_loss_format(lines), get_scale_limits(lines)
        losses = (each for line in lines for each in (line.trial.loss, line.test))
        widest = format_loss(
            max((each for each in losses if each is not None), default=0.0), unit, self._how
        )
        for section in (_LOSS, _TEST):
            self._widen(section, max("100.0 %", widest, key=len))
        self.setColumnHidden(_TEST, all(each.test is None for each in lines))
        words = {describe_status(each.trial) for each in lines if each.rank is None}
        self._widen(_RANK, max({"10,000", *words}, key=len))
        models = {algorithm(each.trial) for each in lines} | self._models
        if models != self._models:
            self._models = models
            self._widen(_MODEL, max(models, key=len))
        if lines == self.records.records:
            return
        before = {each.trial.number for each in self.picked}
        place = self.verticalScrollBar().value()
        model = self.selectionModel()
        model.blockSignals(True)
        self.records.set_records(self.records.columns, lines)
        kept = QItemSelection()
        for row, each in enumerate(lines):
            if each.trial.number in before:
                index = self.records.index(row, 0)
                kept.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        model.select(kept, flags.ClearAndSelect | flags.Rows)
        model.blockSignals(False)
        self.verticalScrollBar().setValue(place)

    def _widen(self, section: int, sample: str) -> None:
        """Resize a column to its header and a sample text."""
        heads = self.records.columns[section].title.split("\n")
        self.setColumnWidth(section, max(compute_column_width(each, sample) for each in heads))

    def _share(self, each: LeaderboardEntry) -> float | None:
        """Return the position of a trial's dot in [0, 1]; smaller losses are further left."""
        found, (left, right) = each.trial.loss, self._ends
        if found is None or right <= left:
            return None
        return min(1.0, max(0.0, (found - left) / (right - left)))

    def _on_header_click(self, section: int) -> None:
        key = KEYS[section]
        by, descending = self._by
        if key is not None:
            self._by = (key, not descending if key == by else key in LARGEST_FIRST)
        order = Qt.SortOrder.DescendingOrder if self._by[1] else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(KEYS.index(self._by[0]), order)
        self.sorted_by.emit(*self._by)

    def _columns(self) -> tuple[ColumnSpec[LeaderboardEntry], ...]:
        return (
            ColumnSpec(
                tr("Rank"),
                lambda each: describe_status(each.trial) if each.rank is None else str(each.rank),
                tr("By the error on the validation rows"),
                right=True,
            ),
            ColumnSpec(
                tr("Weight"),
                lambda each: "" if each.weight is None else percent(each.weight, 0),
                tr("The weight in the ensemble, if the trial is a member"),
                right=True,
            ),
            ColumnSpec(
                tr("Trial"),
                lambda each: str(each.trial.number),
                tr("The number of the trial"),
                right=True,
            ),
            ColumnSpec(tr("Model"), lambda each: algorithm(each.trial), tr("The kind of model")),
            ColumnSpec(
                tr("Error\nvalidation"),
                lambda each: format_loss(each.trial.loss, self._unit, self._how),
                tr("Alone, on the validation rows. The further left its dot, the better."),
                value=self._share,
                right=True,
                dots=True,
            ),
            ColumnSpec(
                tr("Error\ntest"),
                lambda each: format_loss(each.test, self._unit, self._how),
                tr(
                    "Alone, on the test rows (as the search trained it). If you choose by it, it "
                    "no longer tells you how good your choice is."
                ),
                right=True,
            ),
            ColumnSpec(
                tr("Time"),
                lambda each: tr("{s} s", s=number(each.trial.fit_seconds, ".2f")),
                tr("Seconds that training and predicting took"),
                right=True,
            ),
            ColumnSpec(
                tr("Settings"),
                lambda each: hyperparameter_line(each.trial),
                tr("The hyperparameters, or the cause if there is no result"),
                tip=lambda each: (
                    translate(each.trial.remedy)
                    and f"{hyperparameter_line(each.trial)}\n{translate(each.trial.remedy)}"
                ),
                last=True,
            ),
        )


class SettingsTable(RecordTable[SettingDifference]):
    """A column per trial; differing hyperparameters first, the others muted."""

    def __init__(self) -> None:
        super().__init__((), tr("Settings of the selected trials"))
        self.setSelectionMode(self.SelectionMode.NoSelection)

    def show_trials(self, trials: Sequence[Trial]) -> None:
        """Show the hyperparameters of these trials, only the first of too many."""
        shown = trials[:_MOST]
        columns = [
            ColumnSpec[SettingDifference](
                tr("Setting"), lambda each: each.name, tr("The hyperparameter"), colour=_ink
            ),
            *(_column(place, trial) for place, trial in enumerate(shown)),
        ]
        self.records.set_records(columns, side_by_side(shown))
        self.resizeColumnsToContents()


def _column(place: int, trial: Trial) -> ColumnSpec[SettingDifference]:
    return ColumnSpec(
        tr("Trial {number}", number=trial.number),
        lambda each: each.values[place],
        tr("The value in trial {number}", number=trial.number),
        colour=_ink,
    )


def _ink(each: SettingDifference) -> QColor | None:
    return None if each.differs else theme.colour(theme.current().muted)


_LEAST, _BELOW = 190, 132

_MANY, _PAUSE = 2_000, 1_000
"""Number of trials from which the list of an active run is refreshed at this interval, in
milliseconds.
"""


class Leaderboard(ResultView):
    """All trials with their errors, time and hyperparameters, or why they failed."""

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
        self.note = kit.label("", "small", wrap=True)
        kit.column(row, (card, 1), self.note, self._build_selected(), on=self)

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
            self._open_trial,
            icon="predict",
            tip=tr("Predict with this trial instead of the ensemble, or export it"),
        )
        self._selected = kit.make_card(
            self.words, self.settings, kit.row(self.alone, self.live, None)
        )
        return self._selected

    # ---- display

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """List the run's trials so far."""
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
        query, unit = self._query(view), self.tools.session.run_data.unit(view)
        if view.row.prepared:
            self._tests.ask(query)
        tested = None if self._tests.known is None else self._tests.known[0].moment
        state = (query.kind, query.moment, found.members, unit, tested, self.search.text())
        listed = (*state, self._which, self._key, self._descending)
        if listed == self._listed:  # with many thousands of trials, a refresh takes a frame or two
            self._show_selected()
            return
        if self._listed[:1] != listed[:1]:
            self.board.clearSelection()  # it belonged to another run
        self._listed = listed
        answer = self._tests.of(query)
        tests = () if answer is None else answer.losses.tolist()
        lines = entries(view, {each.trial: each.weight for each in found.members}, tests)
        shown = filter_entries(
            lines, self._which, self.search.text(), self._key, descending=self._descending
        )
        self.board.show_entries(shown, unit)
        result = view.row.result if view.ended else None
        tested_twice = bool(result and result.refitted) and any(e.test is not None for e in lines)
        kit.show_text(self.note, tr(BEFORE_REFIT) if tested_twice else "")
        failed = sum(each.trial.status == "failed" for each in lines)
        said_of: dict[Which, str] = {
            "all": tr("All trials ({count})", count=group_digits(len(lines))),
            "members": tr("Members ({count})", count=group_digits(len(found.members))),
            "failed": tr("Failed trials ({count})", count=group_digits(failed)),
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
            hyperparameter_line(single),
            translate(single.remedy),
        ]
        self.words.setText("\n".join(filter(None, lines)))

    def _query(self, view: RunView) -> Query:
        path = str(self.tools.session.path)
        return Query({"path": path, "run_id": view.row.id}, (path, view.row.id), len(view.trials))

    # ---- actions

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

    def _open_trial(self) -> None:
        (entry,) = self.board.picked
        self.trial_wanted.emit(entry.trial.number)
