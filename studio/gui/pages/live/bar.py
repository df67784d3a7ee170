"""Status line above the plots, with the choice of layout and the list of plots."""

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QFrame, QVBoxLayout, QWidget

from studio.gui.base import theme
from studio.gui.base.command import append_shortcut
from studio.gui.base.menus import place_below
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import MnemonicText, make_plain_tip
from studio.gui.plots.base.plot import QUESTION_TITLES, Plot
from studio.gui.widgets import kit
from studio.language import N_, tr

RESET_TIP = N_("The first four plots, in equal sizes, for every size of the window")

INITIAL_PLOTS = ("progress", "membership", "slice", "diversity")
"""Initial plots of the expert view, first those with content from the first trial on."""

SIMPLE_KEYS, EXPERT_KEYS = "Ctrl+Shift+E", "Ctrl+E"

MIN_PLOT_SIZE = (260, 200)
"""Minimum width and height in pixels of a plot's drawing in a cell."""

MIN_PRESENTED_SIZE = (450, 200)
"""The same in presentation mode, with space for end labels of curves and for legends."""

_CELL_MARGINS = (110, 125)
"""Pixels of a cell outside the plotting area: margins, header, a row of the legend, and the axes
with tick labels and titles."""

_AXES, _TABS = 40, 30
"""Height of the bottom axis, which is part of a drawing, and of the tab bar above a cell."""

_MAX_GRID, _MAX_GRID_PRESENTED = (4, 3), (2, 1)
"""Maximum number of columns and rows, normally and in presentation mode."""

MIN_GRID_HEIGHT = 420
"""Height of a page below which a single plot takes its whole width."""


def group_by_question(plots: Sequence[type[Plot]]) -> list[tuple[str, list[type[Plot]]]]:
    """Return the plots by question, in the order of the questions and of the registry."""
    return [
        (question, matching)
        for question in QUESTION_TITLES
        if (matching := [plot for plot in plots if plot.question == question])
    ]


def choose_grid_shape(
    count: int, width: float, height: float, extra_height: float = 0, *, presented: bool = False
) -> tuple[int, int]:
    """Return the number of columns and rows for ``count`` plots on a page of a size in pixels.

    Args:
        extra_height: Height of the additional lines of one of the plots.
        presented: Whether for presentation mode: fewer plots, with all their labels.
    """
    if height < MIN_GRID_HEIGHT:
        return 1, 1
    min_size, max_shape = (
        (MIN_PRESENTED_SIZE, _MAX_GRID_PRESENTED) if presented else (MIN_PLOT_SIZE, _MAX_GRID)
    )
    min_height = min_size[1] + _CELL_MARGINS[1] + max(0.0, extra_height - _AXES)
    columns = max(1, min(max_shape[0], int(width // (min_size[0] + _CELL_MARGINS[0]))))
    rows = max(1, min(max_shape[1], int(height // min_height)))
    if count > columns * rows:
        rows = max(1, min(rows, int(height // (min_height + _TABS))))
    rows = min(rows, max(2, -(-count // columns)))
    return max(1, min(columns, -(-count // rows))), rows


def distribute_plots(
    keys: Sequence[str],
    width: float,
    height: float = float("inf"),
    extra_height: float = 0,
    *,
    presented: bool = False,
) -> list[list[list[str]]]:
    """Distribute plots over columns, rows and tabs, the first tab in front.

    Args:
        width, height: The page's size in pixels at the usual size of type: with larger type (when
            presenting), divided by its scale.
        extra_height, presented: See :func:`choose_grid_shape`.
    """
    n_columns, rows = choose_grid_shape(
        len(keys), width, min(height, 1e6), extra_height, presented=presented
    )
    indices = n_columns * rows
    columns: list[list[list[str]]] = [[] for _ in range(n_columns)]
    for number, key in enumerate(keys):
        if number < indices:
            columns[number % n_columns].append([key])
        else:
            index = number % indices
            columns[index % n_columns][index // n_columns].append(key)
    return columns


_COLUMN_WIDTH = 360
_INDENT = 24
_MAX_HEIGHT = 640


class PlotsPanel(QFrame):
    """A popup in which open plots are ticked, closed by Esc or a click elsewhere."""

    toggled = Signal(str, bool)
    """The plot of this key is to be opened or closed."""

    reset_requested = Signal()
    """Restoring the initial plots and arrangement was requested; the popup has closed."""

    def __init__(
        self, plots: Sequence[type[Plot]], open_keys: Collection[str], parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.setAccessibleName(tr("All plots"))
        self.boxes: dict[str, QCheckBox] = {}
        groups = group_by_question(plots)
        screen_area = parent.screen().availableGeometry()
        column_width = theme.pixels(_COLUMN_WIDTH)
        n_columns = 2 if 2 * column_width + 2 * GRID <= screen_area.width() else 1
        columns = [kit.column(spacing=GRID // 2) for _ in range(n_columns)]
        column_heights = [0] * n_columns
        for question, members in groups:
            # The shorter column takes the next group; a heading counts as one plot.
            shorter = column_heights.index(min(column_heights))
            column_heights[shorter] += len(members) + 1
            columns[shorter].addWidget(kit.label(tr(QUESTION_TITLES[question]), "section"))
            for plot in members:
                columns[shorter].addLayout(self._make_entry(plot, plot.key in open_keys))
            columns[shorter].addSpacing(GRID)
        content = QWidget()
        side_by_side = kit.row(
            parent=content, spacing=3 * GRID, margin=(2 * GRID, 2 * GRID, 2 * GRID, GRID)
        )
        for column in columns:
            column.addStretch(1)
            side_by_side.addLayout(column, 1)
        area = kit.scroll_area(content, reserves_bar=False)
        self.reset_button = kit.button(
            tr("Reset arrangement"), self._reset, kind="quiet", tip=tr(RESET_TIP)
        )
        footer = kit.row(self.reset_button, None, margin=(GRID, GRID // 2, GRID, GRID))
        kit.column(area, footer, parent=self, spacing=None, margin=1)
        width = n_columns * column_width
        below_height = footer.sizeHint().height()
        height = side_by_side.heightForWidth(width) + GRID + below_height
        highest = min(theme.pixels(_MAX_HEIGHT), screen_area.height())
        scrolls = height > highest
        self.setFixedSize(width + (2 * GRID if scrolls else 0), min(height, highest))

    def _reset(self) -> None:
        self.close()
        self.reset_requested.emit()

    def _make_entry(self, plot: type[Plot], is_open: bool) -> QVBoxLayout:
        box = QCheckBox(tr(plot.title))
        box.setChecked(is_open)
        box.setToolTip(make_plain_tip(tr(plot.summary)))
        box.setAccessibleDescription(tr(plot.summary))
        box.toggled.connect(lambda is_checked, key=plot.key: self.toggled.emit(key, is_checked))
        self.boxes[plot.key] = box
        summary = kit.label(tr(plot.summary), "small", wrap=True)
        summary.setIndent(_INDENT)
        return kit.column(box, summary, spacing=0, margin=(0, 0, 0, GRID // 2))

    def show_below(self, anchor: QWidget) -> None:
        """Show the panel under the button, within the screen."""
        place_below(anchor, self, QPoint(0, anchor.height() + GRID // 2))
        self.show()
        next(iter(self.boxes.values())).setFocus(Qt.FocusReason.PopupFocusReason)


class LiveBar(QWidget):
    """The activity line with its link, and the buttons "Simple" and "Expert" on the right."""

    plot_toggled = Signal(str, bool)
    all_plots_requested = Signal()
    """One plot was enlarged, or all plots were restored."""

    reset_requested = Signal()
    """Restoring the initial arrangement was requested."""

    result_requested = Signal()
    expert_view_requested = Signal(bool)
    side_by_side_requested = Signal(bool)
    time_axis_requested = Signal(bool)
    """Comparing runs by time, or by trial, was requested."""

    def __init__(self, plots: Sequence[type[Plot]]) -> None:
        super().__init__()
        self._plots = tuple(plots)
        self._open_keys: tuple[str, ...] = ()
        self._texts: tuple[str, ...] = ("",)
        self.now_label = kit.ElidedLabel("", "title")
        text = tr("See the result")
        self.result_button = kit.button(
            text, self.result_requested.emit, kind="primary", tip=tr("Show the Results page")
        )
        tip = tr("Open or close plots, grouped by the question they answer")
        self.plots_button = kit.button(
            MnemonicText(tr("&Plots ▾")), self.open_panel, tip=tip, name=tr("All plots")
        )
        tip = tr("Show the other plots again (Esc)")
        self.back_button = kit.button(
            tr("Show all plots again"), self.all_plots_requested.emit, kind="quiet", tip=tip
        )
        self.side_by_side_chip = kit.chip(
            tr("Side by side"),
            lambda: self.side_by_side_requested.emit(self.side_by_side_chip.isChecked()),
            tip=tr("The selected run and those overlaid on it, each in a column"),
        )
        axes = QButtonGroup(self)
        tip = tr("Compare the runs after equal numbers of trials")
        self.by_trial_chip = kit.chip(
            tr("By trial"), lambda: self.time_axis_requested.emit(False), tip=tip, group=axes
        )
        tip = tr("Compare the runs at equal times since their starts")
        self.by_time_chip = kit.chip(
            tr("By time"), lambda: self.time_axis_requested.emit(True), tip=tip, group=axes
        )
        show_view, views = self.expert_view_requested.emit, QButtonGroup(self)
        tip = append_shortcut(tr("One large plot, and the members of the ensemble"), SIMPLE_KEYS)
        self.simple_chip = kit.chip(tr("Simple"), partial(show_view, False), tip=tip, group=views)
        tip = append_shortcut(tr("All plots, as many side by side as fit"), EXPERT_KEYS)
        self.expert_chip = kit.chip(tr("Expert"), partial(show_view, True), tip=tip, group=views)
        self._row = kit.row(
            (self.now_label, 1),
            self.result_button,
            self.back_button,
            self.plots_button,
            self.by_trial_chip,
            self.by_time_chip,
            GRID,
            self.side_by_side_chip,
            GRID,
            self.simple_chip,
            self.expert_chip,
            parent=self,
            margin=(3 * GRID, GRID, 2 * GRID, GRID // 2),
        )
        self._ended = self._is_result = self._shows_plots_button = False
        self._fit_buttons()
        get_appearance().presenting_changed.connect(self._fit_buttons)
        self.side_by_side_chip.hide()
        self.show_by_time(possible=False, by_time=False)
        self.show_view(expert=False)
        self.show_open((), "")

    def open_panel(self) -> PlotsPanel:
        """Open the panel of plots below the button."""
        panel = PlotsPanel(self._plots, self._open_keys, self)
        panel.toggled.connect(self.plot_toggled)
        panel.reset_requested.connect(self.reset_requested)
        panel.show_below(self.plots_button)
        return panel

    @property
    def headline(self) -> str:
        """The current activity in full."""
        return self._texts[0]

    def show_activity(
        self, text: str, *, ended: bool, brief: Sequence[str] = (), is_past: bool = False
    ) -> None:
        """Show the current activity; for a finished run, a link to its result.

        Args:
            brief: Shorter texts for narrow windows, the longest first.
            is_past: Whether the text describes an earlier iteration.
        """
        if (text, *brief) != self._texts:
            self._texts = (text, *brief)
            self.now_label.setAccessibleName(text)
        self._ended, self._is_result = ended, ended and not is_past
        self._fit_buttons()

    def _fit_buttons(self) -> None:
        """Hide the buttons in presentation mode; rail and palette offer the same actions.

        The link to the result is hidden before the shortest text is elided.
        """
        presenting = get_appearance().is_presenting
        has_link = not presenting and self._has_room_for_link()
        policy = self.result_button.sizePolicy()
        # the layout must not shift when the run ends
        policy.setRetainSizeWhenHidden(has_link)
        self.result_button.setSizePolicy(policy)
        self.result_button.setVisible(self._ended and has_link)
        for chip in (self.simple_chip, self.expert_chip):
            chip.setVisible(not presenting)
        self.show_plots_button(self._shows_plots_button)
        self._row.activate()  # so that the words are fitted to the space left by the buttons
        self._fit()

    def _has_room_for_link(self) -> bool:
        """Return whether the shortest text fits beside the link and the other buttons."""
        others = [self.back_button, self.plots_button, self.by_trial_chip, self.by_time_chip]
        others += [self.side_by_side_chip, self.simple_chip, self.expert_chip]
        buttons = (self.result_button, *(each for each in others if not each.isHidden()))
        margins = self._row.contentsMargins()
        needed = margins.left() + margins.right() + 2 * GRID
        needed += sum(each.sizeHint().width() + self._row.spacing() for each in buttons)
        metrics = QFontMetrics(theme.font(theme.LARGE, bold=True))
        return needed + metrics.horizontalAdvance(self._texts[-1]) <= self.width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the text in the largest type that fits."""
        super().resizeEvent(event)
        self._fit_buttons()

    def _fit(self) -> None:
        """Show the longest text that fits in the largest type."""
        large_metrics, small_metrics = (
            QFontMetrics(theme.font(size, bold=True)) for size in (theme.TITLE, theme.LARGE)
        )
        available_width = self.now_label.width()
        fitting = (
            each for each in self._texts if small_metrics.horizontalAdvance(each) <= available_width
        )
        full_text, text = self._texts[0], next(fitting, self._texts[-1])
        self.now_label.setText(text, "" if text == full_text else full_text)
        # The texts of a run in progress, or played, change too often to change their size as well.
        fits_large = self._is_result and large_metrics.horizontalAdvance(text) <= available_width
        kit.set_role(self.now_label, "title" if fits_large else "section")

    def show_view(self, *, expert: bool) -> None:
        """Mark the current view."""
        (self.expert_chip if expert else self.simple_chip).setChecked(True)
        self.show_plots_button(expert)

    def show_plots_button(self, offered: bool) -> None:
        """Show the button of the list of plots; it is hidden while presenting."""
        self._shows_plots_button = offered
        self.plots_button.setVisible(offered and not get_appearance().is_presenting)

    def show_side_by_side(self, *, possible: bool, chosen: bool) -> None:
        """Show whether runs are side by side; hidden without two runs."""
        self.side_by_side_chip.setChecked(chosen)
        self.side_by_side_chip.setVisible(possible)

    def show_by_time(self, *, possible: bool, by_time: bool) -> None:
        """Show how runs are compared; hidden if the times of their trials are unknown."""
        (self.by_time_chip if by_time else self.by_trial_chip).setChecked(True)
        for chip in (self.by_trial_chip, self.by_time_chip):
            chip.setVisible(possible)

    def show_open(self, open_keys: Collection[str], enlarged: str) -> None:
        """Mark the open plots, and whether one is enlarged."""
        self._open_keys = tuple(open_keys)
        self.back_button.setVisible(bool(enlarged))
