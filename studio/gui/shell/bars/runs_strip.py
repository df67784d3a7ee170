"""Strip of runs at the bottom, a chip for each."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QMenu, QScrollArea, QWidget

from studio.figures.ink import Ink, get_run_ink
from studio.gui.base import theme
from studio.gui.base.command import get_control_key_prefix
from studio.gui.base.inks import get_colour
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip
from studio.gui.session.run_data import NO_DIFFERENCE, DataDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.short_names import abbreviate, find_differing_parts
from studio.gui.session.wording import (
    compute_share_done,
    describe_state,
    describe_time,
    format_chip_loss,
    format_progress,
    get_test_loss,
    get_validation_loss,
)
from studio.gui.widgets import kit
from studio.gui.widgets.run_marks import get_state_colour, paint_state
from studio.language import tr, translate
from studio.measure import UNKNOWN_TEXT

_WIDTH, _HEIGHT = 200, 44
_NAME_LEFT, _GAP = 28, 10
"""Margin before a name, and between name and loss."""

_LEFT = 12
"""Margin before the bar and the progress above it."""

_EDGE_LEFT, _EDGE_TOP, _EDGE_WIDTH = 3, 6, 4
"""The run's colour at the left edge."""

_CORNER_WIDTH = 30
"""Width of the overlay corner."""


def get_chip_size() -> QSize:
    """Return a chip's minimum size at the current scale."""
    return QSize(theme.pixels(_WIDTH), theme.pixels(_HEIGHT))


class RunChip(QAbstractButton):
    """A run's chip: state, name, bar, progress, and the best error so far.

    Its right corner (also Ctrl+click, the O key, and its menu) overlays the run on the selected one
    in the plots. With several chips, the left edge has the colour of the run's curves.
    """

    def __init__(self, run_id: int, strip: "RunsStrip") -> None:
        super().__init__()
        self.run_id, self._strip = run_id, strip
        self.setCheckable(True)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._state: tuple[str, str, str, float, str] = ("", "", "", 0.0, "")
        self._names: tuple[str, tuple[str, ...]] = ("", ())
        self._notes: tuple[str, ...] = ()
        self._description = ""
        self._message = ""
        self.overlay_ink: Ink | None = None
        self.edge_ink: Ink | None = None
        self._is_corner_hovered = False
        self._natural_width = 0
        self._is_active = False

    def nextCheckState(self) -> None:
        """Ignore the button's toggling: the window determines the selected run."""

    def sizeHint(self) -> QSize:
        """Return a constant size, so that chips do not move as numbers change."""
        return get_chip_size().expandedTo(QSize(self._natural_width, 0))

    def compute_full_width(self) -> int:
        """Return the width for the full name and the widest numbers, and that of the progress."""
        bold = QFontMetrics(theme.make_painter_font(theme.SMALL, bold=True))
        widest_loss = tr("validation {loss}", loss="10.0 %")
        loss = max(map(bold.horizontalAdvance, (self._state[4], widest_loss)))
        width = _NAME_LEFT + bold.horizontalAdvance(self._state[1]) + _GAP + loss
        if not self._is_active:  # its progress no longer changes
            plain = QFontMetrics(theme.make_painter_font(theme.SMALL))
            width = max(width, _LEFT + plain.horizontalAdvance(self._state[2]) + 2)
        return theme.pixels(width + _CORNER_WIDTH)

    def set_width(self, width: int) -> None:
        """Set the width, at least the minimum."""
        if width != self._natural_width:
            self._natural_width = width
            self.updateGeometry()

    def show_run(
        self,
        view: RunView,
        unit: str,
        overlay_ink: Ink | None = None,
        metric: str = "",
        differences: DataDifferences = NO_DIFFERENCE,
        *,
        iteration: int | None = None,
        tested: bool = True,
        brief_name: str = "",
        other_names: Sequence[str] = (),
    ) -> None:
        """Update to the run's state; repaints only visible changes.

        Args:
            brief_name: The part of its name that differs from the other runs' names, shown where
                the name has no room.
            other_names: The corresponding parts of the other runs' names.
        """
        self._is_active = view.is_alive and not view.has_ended
        error = format_chip_loss(view, unit, iteration, tested=tested)
        share, progress = compute_share_done(view) or 0.0, format_progress(view)
        if iteration is not None:
            n_iterations = len(view.iterations)
            shown_iteration = min(iteration, n_iterations)
            share = shown_iteration / max(1, n_iterations)
            progress = describe_time(shown_iteration, n_iterations)
        notes = tuple(filter(None, (differences.short_text, metric, progress)))
        progress_text = _join_notes(notes)
        state = (view.state, view.name, progress_text, share, error)
        text = tr(
            "{name}: {state}, {progress}, error of the ensemble: {loss}",
            name=view.name,
            state=describe_state(view),
            progress=state[2],
            loss=error or UNKNOWN_TEXT,
        )
        if differences.details:
            text += f"\n{differences.details}"
        if overlay_ink is not None:
            text += tr("; overlaid on the selected run")
        now = state, (brief_name or view.name, tuple(other_names)), notes, overlay_ink, text
        shown = self._state, self._names, self._notes, self.overlay_ink, self._description
        if now == shown:
            return
        self._state, self._names, self._notes, self.overlay_ink, self._description = now
        self._message = translate(view.row.message)
        self.setAccessibleName(text)
        self._update_tooltip()
        self.update()

    def show_ink(self, ink: Ink | None) -> None:
        """Show the run's colour at the left edge; None if it is the only run."""
        if ink != self.edge_ink:
            self.edge_ink = ink
            self.update()

    # Overlay ------------------------------------------------------------------------------

    def toggle_overlay(self) -> None:
        """Request or end the run's overlay."""
        if not self.isChecked():
            self._strip.overlay_requested.emit(self.run_id, self.overlay_ink is None)

    def _is_in_corner(self, x: float) -> bool:
        return not self.isChecked() and x >= self.width() - theme.pixels(_CORNER_WIDTH)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Toggle the overlay on a click in the corner or with Ctrl; otherwise select the run."""
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        left = event.button() is Qt.MouseButton.LeftButton
        if left and (ctrl or self._is_in_corner(event.position().x())):
            self.toggle_overlay()
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the corner under the pointer."""
        in_corner = self._is_in_corner(event.position().x())
        if in_corner != self._is_corner_hovered:
            self._is_corner_hovered = in_corner
            self._update_tooltip()
            self.update()
        super().mouseMoveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle the overlay on O."""
        if event.key() == Qt.Key.Key_O:
            self.toggle_overlay()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.make_menu()
        menu.popup(event.globalPos())

    def make_menu(self) -> QMenu:
        """Return the menu, which is deleted on closing."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not self.isChecked():
            is_overlaid = self.overlay_ink is not None
            text = tr("Remove the overlay") if is_overlaid else tr("Overlay on the selected run")
            menu.addAction(tr("Show this run"), self.click)
            menu.addAction(escape_mnemonics(text), self.toggle_overlay)
            menu.addSeparator()
        strip, run_id = self._strip, self.run_id
        menu.addAction(tr("Rename"), lambda: strip.rename_requested.emit(run_id))
        remove = menu.addAction(tr("Remove…"), lambda: strip.removal_requested.emit(run_id))
        remove.setEnabled(not self._is_active)
        return menu

    def _update_tooltip(self) -> None:
        control = get_control_key_prefix()
        tip = tr("{key}click to overlay it on the selected run.", key=control)
        texts = (self._description, self._message, "" if self.isChecked() else tip)
        text = "\n".join(filter(None, texts))
        if self._is_corner_hovered and self.overlay_ink is None:
            text = tr(
                "Overlay this run's curves on the selected run ({key}click, or O)", key=control
            )
        elif self._is_corner_hovered:
            text = tr("Remove this run's curves again ({key}click, or O)", key=control)
        self.setToolTip(make_plain_tip(text))

    # Drawing ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chip in sizes of a scale of 1; the painter is scaled."""
        del event
        tokens, (state, name, progress_text, share, loss_text) = theme.current(), self._state
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self.height() / _HEIGHT
        painter.scale(scale, scale)
        width = self.width() / scale
        is_selected, has_focus = self.isChecked(), self.hasFocus()
        edge_colour = theme.colour(tokens.accent if is_selected or has_focus else tokens.border)
        painter.setPen(QPen(edge_colour, 1.5 if is_selected else 1))
        hovered = tokens.raised if self.underMouse() else tokens.surface
        painter.setBrush(theme.colour(tokens.accent_soft if is_selected else hovered))
        chip = QRectF(0.75, 0.75, width - 1.5, _HEIGHT - 1.5)
        painter.drawRoundedRect(chip, theme.CONTROL, theme.CONTROL)
        if self.edge_ink is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(get_colour(self.edge_ink))
            edge = QRectF(_EDGE_LEFT, _EDGE_TOP, _EDGE_WIDTH, _HEIGHT - 2 * _EDGE_TOP)
            painter.drawRoundedRect(edge, theme.MARK, theme.MARK)
        paint_state(painter, state, QPointF(16, 15))
        right = width - (10 if is_selected else _CORNER_WIDTH)
        painter.setPen(theme.colour(tokens.text))
        painter.setFont(theme.make_painter_font(theme.SMALL, bold=True))
        text_width = painter.fontMetrics().horizontalAdvance(loss_text)
        end = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(right - text_width - 2, 5, text_width + 2, 18), end, loss_text)
        name_width = right - text_width - _NAME_LEFT - _GAP
        middle = Qt.AlignmentFlag.AlignVCenter
        name = self._fit_name(name, painter.fontMetrics(), int(name_width))
        painter.drawText(QRectF(_NAME_LEFT, 5, name_width, 18), middle, name)
        painter.setFont(theme.make_painter_font(theme.SMALL))
        painter.setPen(theme.colour(tokens.muted))
        metrics = painter.fontMetrics()
        progress_text = self._fit_notes(progress_text, metrics, int(right - _LEFT))
        text_width = metrics.horizontalAdvance(progress_text)
        painter.drawText(QRectF(right - text_width - 2, 22, text_width + 2, 14), end, progress_text)
        bar = QRectF(_LEFT, _HEIGHT - 6, right - _LEFT, 3)  # full width, to make runs comparable
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tokens.border if is_selected else tokens.raised))
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        bar.setWidth(bar.width() * share)
        painter.setBrush(get_state_colour(state))
        painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
        if not is_selected:
            self._paint_corner(painter, width - _CORNER_WIDTH / 2, _HEIGHT / 2)
        painter.end()

    def _fit_name(self, name: str, metrics: QFontMetrics, width: int) -> str:
        """Return the name, or the part of it that distinguishes the run and has room."""

        def fits(text: str) -> bool:
            return metrics.horizontalAdvance(text) <= width

        return name if fits(name) else abbreviate(*self._names, fits)

    def _fit_notes(self, text: str, metrics: QFontMetrics, width: int) -> str:
        """Return the line below the name without its last notes, if it has no room.

        Different rows are the first one; the bar shows the progress, too.
        """
        notes = list(self._notes)
        while len(notes) > 1 and metrics.horizontalAdvance(text) > width:
            notes.pop()
            text = _join_notes(notes)
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)

    def _paint_corner(self, painter: QPainter, x: float, y: float) -> None:
        """Draw two stepped curves, in the run's colour if it is overlaid."""
        tokens = theme.current()
        line_colour = theme.colour(tokens.text if self._is_corner_hovered else tokens.muted)
        ink = get_colour(self.overlay_ink) if self.overlay_ink else line_colour
        painter.setBrush(Qt.BrushStyle.NoBrush)
        steps = ((-7, -3), (-3, -3), (-3, 0), (2, 0), (2, 2), (7, 2))
        for shift, pen_width in ((-3, 1.2), (3, 2.6 if self.overlay_ink else 1.2)):
            painter.setPen(QPen(ink, pen_width))
            painter.drawPolyline([QPointF(x + right, y + down + shift) for right, down in steps])


def _join_notes(notes: Sequence[str]) -> str:
    return "  ·  ".join(notes)


class RunsStrip(QFrame):
    """Chips of all runs, newest on the left."""

    run_chosen = Signal(int)
    overlay_requested = Signal(int, bool)
    """Toggling the overlay of this run was requested."""

    rename_requested = Signal(int)
    removal_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._chips: dict[int, RunChip] = {}
        self._selected_run_id: int | None = None
        content = QWidget()
        self._row = kit.row(None, parent=content)
        self._area = area = QScrollArea()
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        kit.row(area, parent=self, spacing=None)
        theme.get_notifier().changed.connect(self._fit)
        self._fit(None)

    def show_runs(
        self,
        views: Sequence[RunView],
        selected_run: int | None,
        units: Mapping[int, str],
        overlaid: Sequence[int] = (),
        *,
        metrics: Mapping[int, str] = MappingProxyType({}),
        differences: Mapping[int, DataDifferences] = MappingProxyType({}),
        iterations: Mapping[int, int | None] = MappingProxyType({}),
    ) -> None:
        """Set the runs, the oldest first."""
        run_ids = {view.row.id for view in views}
        for removed_id in set(self._chips) - run_ids:
            chip = self._chips.pop(removed_id)
            self._row.removeWidget(chip)
            chip.deleteLater()
        inks = {each: get_run_ink(each) for each in overlaid}
        # Otherwise users would compare validation errors with test errors.
        validation_losses = [
            get_validation_loss(view)
            for view in views
            if get_test_loss(view, iterations.get(view.row.id)) is None
        ]
        compare_by_test = all(each is None for each in validation_losses)
        brief_names = find_differing_parts([view.name for view in views])
        for view, brief_name in zip(views, brief_names, strict=True):
            run_id = view.row.id
            if run_id not in self._chips:
                chip = RunChip(run_id, self)
                chip.clicked.connect(lambda _=False, n=run_id: self.run_chosen.emit(n))
                self._chips[run_id] = chip
                self._row.insertWidget(0, chip)
            self._chips[run_id].setChecked(run_id == selected_run)
            self._chips[run_id].show_ink(get_run_ink(run_id) if len(views) > 1 else None)
            self._chips[run_id].show_run(
                view,
                units.get(run_id, ""),
                inks.get(run_id),
                metrics.get(run_id, ""),
                differences.get(run_id, NO_DIFFERENCE),
                iteration=iterations.get(run_id),
                tested=compare_by_test,
                brief_name=brief_name,
                other_names=[each for each in brief_names if each != brief_name],
            )
        self._update_widths()
        if selected_run != self._selected_run_id:
            self._selected_run_id = selected_run
            # A new chip has no position before the next layout.
            QTimer.singleShot(0, self, self._scroll_to_chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the chosen run visible on resize."""
        super().resizeEvent(event)
        self._update_widths()
        QTimer.singleShot(0, self, self._scroll_to_chosen)

    def _update_widths(self) -> None:
        """Set a common width for the longest name, limited by the space for all chips."""
        chips = self._chips.values()
        if chips:
            available = self._area.viewport().width() - self._row.spacing() * len(chips)
            widest = max(chip.compute_full_width() for chip in chips)
            for chip in chips:
                chip.set_width(min(widest, available // len(chips)))

    def _scroll_to_chosen(self) -> None:
        chip = None if self._selected_run_id is None else self._chips.get(self._selected_run_id)
        if chip is not None:
            self._area.ensureWidgetVisible(chip, GRID, 0)

    def _fit(self, _: Any) -> None:
        self._area.setFixedHeight(get_chip_size().height() + 2)
        for chip in self._chips.values():
            chip.updateGeometry()
        self._update_widths()
        QTimer.singleShot(0, self, self._scroll_to_chosen)
