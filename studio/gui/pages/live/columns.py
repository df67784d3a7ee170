"""Runs in columns: each in the simple view, or in one plot of the expert view; aligned cards."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QSizePolicy, QWidget

from studio.figures.ink import get_run_ink
from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.pages.live.dock import Dock
from studio.gui.pages.live.member_strip import MemberStrip, list_shares
from studio.gui.pages.live.run_headlines import ColumnHeadline
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.helper_requests import CancellableRequest, Helper
from studio.gui.plots.base.plot import Alignment, Plot
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.method_facts import describe_selection
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.run_marks import Swatch
from studio.helper.answers import Encoded
from studio.language import tr
from studio.tasks import Task

COLUMNS = "side by side"
"""Key under which the columns are redrawn, as a plot is under its own, none of which it is."""

_MIN_COLUMN = 340
"""Minimum width of a legible column in pixels, at a scale of 1."""


def get_column_limit(width: int) -> int:
    """Return the number of columns legible in a width in pixels, at least 2."""
    return max(2, width // theme.pixels(_MIN_COLUMN))


class ColumnHeading(QFrame):
    """A run's name in its colour, its error in large type, and the number of its trials."""

    def __init__(self) -> None:
        super().__init__()
        # Names of runs often differ at their ends.
        middle = Qt.TextElideMode.ElideMiddle
        self.swatch, self.name = Swatch(), kit.ElidedLabel("", "section", middle)
        self.figure, self.subtitle = kit.label("", "title"), kit.ElidedLabel("", "muted")
        self.trials_label = kit.ElidedLabel("", "muted")
        kit.column(
            kit.row(self.swatch, (self.name, 1), self.figure),
            self.subtitle,
            self.trials_label,
            parent=self,
            spacing=GRID // 2,
            margin=(2 * GRID, GRID, 2 * GRID, 0),
        )
        self.hide()

    def show_run(self, subject: Subject | None, headline: ColumnHeadline | None) -> None:
        """Show a run's headline; None hides it."""
        self.setVisible(subject is not None and headline is not None)
        if subject is None or headline is None:
            return
        self.swatch.show_ink(subject.run_ink)
        self.name.setText(subject.name)
        kit.show_text(self.figure, headline.figure)
        self.subtitle.setText(headline.subtitle)
        self.trials_label.setText(headline.trials)
        parts = (subject.name, headline.figure, headline.subtitle, headline.trials)
        self.setAccessibleName(", ".join(filter(None, parts)))


class ExcludedRuns(QFrame):
    """Lists the overlaid runs without a column; a click on one shows it in a column."""

    requested = Signal(int)
    """Showing the run of this id was requested."""

    def __init__(self) -> None:
        super().__init__()
        self._run_ids: tuple[int, ...] = ()
        self.buttons: list[QWidget] = []
        self._row = kit.row(parent=self)
        self.hide()

    def show_runs(self, views: Sequence[RunView]) -> None:
        """Show these runs; none hides it."""
        self.setVisible(bool(views))
        run_ids = tuple(view.row.id for view in views)
        if run_ids == self._run_ids:
            return
        self._run_ids, self.buttons = run_ids, []
        kit.clear(self._row)
        self._row.addWidget(kit.label(tr("No room for a column:"), "muted"))
        for view in views:
            swatch = Swatch()
            swatch.show_ink(get_run_ink(view.row.id))
            tip = tr("Show this run instead of another one")
            button = kit.button(view.name, partial(self.requested.emit, view.row.id), tip=tip)
            self.buttons.append(button)
            self._row.addLayout(kit.row(swatch, button, spacing=GRID // 2))
        self._row.addStretch(1)


_CAPTION, _NAMES, _COUNT, _BAR = 440, 380, 290, 210
"""Minimum heights for showing the caption, the members' names below their bar, their number above
it, and the bar, at a scale of 1.
"""

_AUDIENCE_CAPTION = 340
"""The same of the caption in presentation mode."""


def _make_caption(subjects: Sequence[Subject | None]) -> str:
    """Return how to read the plots, and the particularities of the runs' methods."""
    notes = (describe_selection(each) for each in subjects if each is not None)
    return " ".join((tr(HeadlinePlot.summary), *filter(None, dict.fromkeys(notes))))


class SimpleView(QFrame):
    """The headline plot with its caption, and the strip of members."""

    def __init__(self, helper: Helper) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.plot = HeadlinePlot(helper)
        self.plot.header.tip = ""  # the page has only this plot
        self.plot.header.set_tooltip_text("")
        self.heading = ColumnHeading()
        self.strip = MemberStrip()
        self.caption_label = kit.label(tr(HeadlinePlot.summary), "small", wrap=True)
        self.caption_label.setContentsMargins(0, 0, 0, GRID)
        margin = (2 * GRID, 0, 2 * GRID, 2 * GRID)
        footer = kit.column(self.caption_label, self.strip, margin=margin)
        kit.column(self.heading, (self.plot, 1), footer, parent=self, spacing=GRID // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide less important parts where space is scarce."""
        super().resizeEvent(event)
        height = self.height()
        self._show_caption()
        self._show_names()
        for each in (self.strip.count_label, self.strip.names):
            each.setVisible(height >= theme.pixels(_COUNT))
        self.strip.setVisible(height >= theme.pixels(_BAR))

    def _show_caption(self) -> None:
        """Show the caption if it fits and does not repeat in every column."""
        # An audience cannot ask for it by the pointer.
        min_height = _AUDIENCE_CAPTION if get_appearance().is_presenting else _CAPTION
        is_high = self.height() >= theme.pixels(min_height)
        self.caption_label.setVisible(is_high and self.heading.isHidden())

    def _show_names(self) -> None:
        """Show the members' names below their bar if they fit, else inside."""
        is_short = self.height() < theme.pixels(_NAMES)
        self.strip.set_compact(is_short or not self.heading.isHidden())
        self.heading.trials_label.setHidden(is_short)

    def follow(self, subject: Subject | None, headline: ColumnHeadline | None = None) -> None:
        """Show a run at an iteration, in a column below its headline; None hides it."""
        self.heading.show_run(subject, headline)
        self.caption_label.setText(_make_caption([subject]))
        self.plot.header.setVisible(self.heading.isHidden())
        self._show_caption()
        self._show_names()
        self.plot.follow(subject)
        if subject is None:
            self.strip.show_shares(())
        else:  # side by side, the header above names the run
            self.strip.show_shares(
                list_shares(subject),
                subject.name if subject.overlays else "",
                ended=bool(subject.end_reason),
            )


class SimpleColumns(QWidget):
    """The simple view of one run, or of several in columns of equal width."""

    def __init__(self, make: Callable[[], SimpleView]) -> None:
        super().__init__()
        self._make_view = make
        self.views: list[SimpleView] = []
        self._alignment = Alignment()
        self._identity: tuple[object, ...] = ()
        self._legend_rows = 0
        self._row = kit.row(spacing=2 * GRID)
        self.caption_label = kit.label(tr(HeadlinePlot.summary), "small", wrap=True)
        self.caption_label.hide()
        margin = (3 * GRID, GRID // 2, 2 * GRID, GRID)
        kit.column((self._row, 1), self.caption_label, parent=self, margin=margin)
        self._add_view()

    def _add_view(self) -> None:
        view = self._make_view()
        # Equal widths, regardless of the names.
        view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row.addWidget(view, 1)
        self.views.append(view)

    @property
    def visible_views(self) -> list[SimpleView]:
        """The visible views, from the left."""
        return [each for each in self.views if not each.isHidden()]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the caption where space is scarce."""
        super().resizeEvent(event)
        self._show_caption()

    def _show_caption(self) -> None:
        is_high = self.height() >= theme.pixels(_CAPTION)
        self.caption_label.setVisible(is_high and len(self.visible_views) > 1)

    def follow(
        self, subjects: Sequence[Subject | None], headlines: Sequence[ColumnHeadline] = ()
    ) -> None:
        """Show these runs, with headlines if there are several."""
        while len(self.views) < len(subjects):
            self._add_view()
        for index, view in enumerate(self.views):
            view.setVisible(index < len(subjects))
            if index < len(subjects):
                view.plot.delay_painting()
                view.follow(subjects[index], headlines[index] if headlines else None)
        self.caption_label.setText(_make_caption(subjects))
        self._show_caption()

    def align(self) -> None:
        """Reserve the largest size of labels for these runs, so that the plots keep their size."""
        views = self.visible_views
        subjects = [view.plot.subject for view in views]
        size = (self.width(), views[0].strip.is_compact)
        identity = (*size, *(each and each.identity for each in subjects))
        if identity != self._identity:
            self._identity, self._legend_rows = identity, 0
        self._alignment.align(*(view.plot for view in views))
        legends = [view.strip.legend for view in views]
        self._legend_rows = max(self._legend_rows, *(each.rows for each in legends))
        for each in legends:
            each.reserve_rows(self._legend_rows)


@dataclass(frozen=True)
class ColumnHelper:
    """A helper client with separate channels for one of several plots with the same tasks."""

    helper: Helper
    name: str

    def request(
        self,
        task: Task[..., Any],
        arguments: dict[str, Any],
        done: Callable[[Encoded], None],
        failed: Callable[[str], None],
        channel: str | None = None,
    ) -> CancellableRequest:
        """Request a task."""
        own_channel = None if channel is None else f"{self.name}:{channel}"
        return self.helper.request(task, arguments, done, failed, own_channel)


class PlotColumns(QFrame):
    """A plot of the selected run next to the same plot of the runs overlaid on it."""

    key_chosen = Signal()
    """Another plot was chosen."""

    def __init__(self, titles: Mapping[str, str], make: Callable[[str, int], Plot]) -> None:
        super().__init__()
        self._make_plot = make
        self.plots: dict[str, list[Plot]] = {}
        self._cards: list[QFrame] = []
        self.headings: list[ColumnHeading] = []
        self.chooser = Chooser(tr("Plot for all runs"), tr("The plot shown for all runs"))
        self.chooser.set_choices(list(titles.items()))
        self.chooser.chosen.connect(lambda _: self.key_chosen.emit())
        self._alignment = Alignment()
        self._row = QHBoxLayout()
        self._row.setSpacing(2 * GRID)
        margin = (3 * GRID, GRID // 2, 2 * GRID, GRID)
        kit.column(kit.row(self.chooser, None), (self._row, 1), parent=self, margin=margin)

    @property
    def key(self) -> str:
        """The chosen plot."""
        return str(self.chooser.key)

    def follow(self, subjects: Sequence[Subject], headlines: Sequence[ColumnHeadline]) -> None:
        """Show these runs in the chosen plot, each below its headline."""
        while len(self._cards) < len(subjects):
            self.headings.append(ColumnHeading())
            card = kit.make_card(self.headings[-1], margin=0)
            card.setSizePolicy(QSizePolicy.Policy.Ignored, card.sizePolicy().verticalPolicy())
            self._cards.append(card)
            self._row.addWidget(card, 1)
        plots = self.plots.setdefault(self.key, [])
        while len(plots) < len(subjects):
            index = len(plots)
            plots.append(self._make_plot(self.key, index))
            layout = self._cards[index].layout()
            assert isinstance(layout, QBoxLayout)
            layout.addWidget(plots[index], 1)
        for key, made in self.plots.items():
            for plot in made:
                plot.setVisible(key == self.key)
        for index, card in enumerate(self._cards):
            card.setVisible(index < len(subjects))
            if index < len(subjects):
                self.headings[index].show_run(subjects[index], headlines[index])
                plots[index].delay_painting()
                plots[index].follow(subjects[index])
        self._fit_height()
        self._alignment.align(*plots[: len(subjects)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the height to the plots where space is scarce."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        """Hide details of the runs, then the plots' headers, which repeat the chosen title."""
        height = self.height()
        for heading in self.headings:
            heading.trials_label.setVisible(height >= theme.pixels(_CAPTION))
            heading.subtitle.setVisible(height >= theme.pixels(_NAMES))
        for plot in self.plots.get(self.key, ()):
            plot.header.setVisible(height >= theme.pixels(_COUNT))


MAX_DIFFERENCE = 28
"""Difference of adjacent widths, in pixels at a scale of 1, up to which axes are aligned: names of
rows beside a plot would take too much of one with numbers.
"""


def align_cards(docks: Iterable[Dock], alignments: Mapping[str, Alignment]) -> None:
    """Reserve equal widths of left axes in each column, and rows of legends in each row.

    Args:
        docks: The visible ones.
        alignments: Alignment of each plot by key; missing for plots not drawn yet.
    """
    columns: defaultdict[int, list[tuple[Plot, Alignment]]] = defaultdict(list)
    rows: defaultdict[int, list[tuple[Plot, Alignment]]] = defaultdict(list)
    for dock in docks:
        if dock.plot is not None and dock.key in alignments and not dock.isFloating():
            card = dock.plot, alignments[dock.key]
            columns[dock.x()].append(card)
            rows[dock.y()].append(card)
    for cards in columns.values():
        with_axis = [card for card in cards if card[1].left_width]
        max_difference = theme.pixels(MAX_DIFFERENCE)
        widths = align_similar([each.left_width for _, each in with_axis], max_difference)
        for (plot, _), width in zip(with_axis, widths, strict=True):
            plot.painter.reserve_left_width(width)
    for cards in rows.values():
        # A short plot has no room for an empty row, and one with other lines would not be aligned.
        alike = [card for card in cards if not (card[1].is_short or card[0].extra_height)]
        counts = align_similar([each.rows for _, each in alike], 1)
        rows_by_plot = {plot: n_rows for (plot, _), n_rows in zip(alike, counts, strict=True)}
        for plot, alignment in cards:
            plot.legend.reserve_rows(rows_by_plot.get(plot, alignment.rows))


def align_similar(sizes: Sequence[int], max_difference: int) -> list[int]:
    """Return for each size the largest of its group; groups differ by more than the maximum."""
    largest: dict[int, int] = {}
    group: list[int] = []
    for size in sorted(sizes):
        if group and size - group[-1] > max_difference:
            group = []
        group.append(size)
        largest |= dict.fromkeys(group, size)
    return [largest[size] for size in sizes]
