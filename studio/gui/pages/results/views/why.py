"""Why the ensemble predicts what it predicts: which columns matter, how much, in which way."""

from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QFrame, QToolTip

from studio.analysis.column_words import class_of
from studio.figures.worth import ROW, WorthRow, worth_diagram
from studio.gui.base import theme
from studio.gui.base.language import named, tr, translate
from studio.gui.base.long_names import fitting
from studio.gui.base.theme import GRID
from studio.gui.base.tips import plain_tip
from studio.gui.pages.results.views.base import ResultView, Tools
from studio.gui.pages.results.views.why_model import (
    ShownBar,
    missing_effect,
    rest_words,
    shown_bars,
    worth_rows,
    worth_words,
)
from studio.gui.plots.base.still import StillFigure
from studio.gui.plots.quality.column_effects_figures import dependence_figure
from studio.gui.plots.quality.column_effects_model import Effects, effect_words, estimate_words
from studio.gui.plots.quality.column_effects_strip import WorkStrip
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.drawn import Drawn

_HEIGHT = 290

_BESIDE = 560
"""Width from which the bars and an effect are side by side."""


class WorthChart(Drawn):
    """A bar for each column or group; a press or the arrow keys choose one, Enter opens a group."""

    chosen = Signal(int)
    """The effect of this row is to be shown."""

    opened = Signal(int)
    """The group of this row, if it is one, is to be opened or closed."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[WorthRow, ...] = ()
        self._place = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(
            tr("Press a bar to see the effect of the column's values, or to open a group")
        )

    def show_rows(self, rows: tuple[WorthRow, ...], chosen: int) -> None:
        """Show these bars, and mark one."""
        self._place, self.rows = chosen, rows
        title = tr("What each column is worth")
        make = partial(worth_diagram, rows, title, chosen=self._place)
        self.show_diagram(make if rows else None, title)
        words = (f"{row.name}: {row.text}, {row.words}" for row in rows)
        self.setAccessibleDescription("; ".join(words))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the row that is pressed, and open it."""
        place = int(event.position().y() / theme.scale() / ROW)
        self._choose(place)
        if 0 <= place < len(self.rows):
            self.opened.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the next row above or below, or open the one that is chosen."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space} and self.rows:
            self.opened.emit(self._place)
        elif step is None:
            super().keyPressEvent(event)
        else:
            self._choose(self._place + step)

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.rows):
            self.chosen.emit(place)

    def event(self, event: QEvent) -> bool:
        """Show the whole of a row that is pointed at, whose name may be cut."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = int(event.y() / theme.scale() / ROW)
            lines = [self.toolTip()]
            if 0 <= place < len(self.rows):
                row = self.rows[place]
                lines = [f"{row.name}: {row.text}", row.words, *lines]
            QToolTip.showText(event.globalPos(), "\n".join(filter(None, lines)), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars, and a frame where the keys are."""
        super().paintEvent(event)
        if self.hasFocus() and self.rows:
            painter = QPainter(self)
            scale = theme.scale()
            painter.scale(scale, scale)
            painter.setPen(QPen(theme.colour(theme.current().accent), 1.5))
            box = QRectF(0, ROW * self._place, self.width() / scale, ROW).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(box, 4, 4)
            painter.end()


class Why(ResultView):
    """Bars of the columns, the effect of the one that is chosen, and columns that go together."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._view: RunView | None = None
        self._column = -1
        self._shown: list[ShownBar] = []
        self._opened: set[int] = set()
        self._all = False
        self._work = tools.effects
        self._work.changed.connect(self._show)
        self._waiting = kit.label("", "muted", wrap=True)
        self.strip = WorkStrip()
        self.strip.wanted.connect(self._work.begin)
        self.strip.given_up.connect(self._work.stop)
        kit.column(self._waiting, self._build_card(), None, on=self, spacing=2 * GRID)

    def _build_card(self) -> QFrame:
        self.bars = WorthChart()
        self.bars.chosen.connect(self._choose)
        self.bars.opened.connect(self._open)
        self._effect_title = kit.label("", "section", wrap=True)
        self.effect = StillFigure(_HEIGHT)
        self.more = kit.button(
            "", self._show_more, kind="link", tip=tr("Show the bars of all columns")
        )
        self._about = kit.label("", "small", wrap=True)
        left = kit.column(self.bars, kit.row(self.more, None), None)
        right = kit.column(self._effect_title, self.effect, None, spacing=GRID // 2)
        self._sides = kit.row((left, 1), (right, 1), spacing=3 * GRID)
        self._card = kit.carded(
            kit.label(tr("What matters most"), "section"),
            self.strip,
            self._sides,
            self._about,
        )
        return self._card

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the effect below the bars where names and figures have no room beside it."""
        super().resizeEvent(event)
        narrow = self.area.viewport().width() < theme.pixels(_BESIDE)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._sides.setDirection(way)

    # ---- showing

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show what is known of a run's columns."""
        del ready
        if self._view is None or self._view.row.id != view.row.id:
            self._column, self._opened, self._all = -1, set(), False
        self._view = view
        self._show()

    def _choose(self, place: int) -> None:
        found, bar = self._work.found, self._shown[place]
        if found is None:
            return
        self._column = bar.number
        self._show()
        if bar.column not in found.dependences:
            self._work.want(found.plan.names[bar.column], asked=True)

    def _open(self, place: int) -> None:
        """Open or close the group of a row, if it is one."""
        bar = self._shown[place]
        if bar.opened is not None:
            self._opened ^= {bar.number}
            self._show()

    def _show_more(self) -> None:
        self._all = True
        self._show()

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        found = self._work.found
        over = view.ended and view.row.result is not None
        self._waiting.setText(
            tr(
                "This is computed when the run has finished. While it is in progress, the "
                "plot “What the ensemble looks at” of the Live page shows it for every "
                "iteration."
            )
        )
        self._waiting.setVisible(not over)
        self._card.setVisible(over)
        self._show_work()
        known = over and found is not None and bool(len(found.bars))
        for part in (self.bars, self._effect_title, self.effect, self.more, self._about):
            part.setVisible(known)
        if known and found is not None:
            self._show_columns(view, Effects(len(view.trials), found))

    def _show_columns(self, view: RunView, effects: Effects) -> None:
        found = effects.found
        looked_for = view.row.looked_for
        bars = self._shown = shown_bars(found, self._opened, more=self._all)
        numbers = [bar.number for bar in bars]
        place = numbers.index(self._column) if self._column in numbers else 0
        self.bars.show_rows(tuple(worth_rows(effects, bars, looked_for)), place)
        number = bars[place].column
        column = found.plan.names[number]
        code = -1
        if number in found.dependences:
            code = class_of(found.dependences[number], found.plan, looked_for)
        self._effect_title.setText(tr("Effect of {name}", name=fitting(named(column))))
        self._effect_title.setToolTip(plain_tip(named(column)))
        if effects.knows(column):
            self.effect.show_figure(
                dependence_figure(effects, column, code),
                tr("Effect of a column"),
                lambda at: effect_words(effects, column, code, at.x),
            )
        else:
            self.effect.show_nothing(tr("Its effect is not known yet."))
        more = rest_words(found, bars)
        self.more.setText(more)
        self.more.setAccessibleName(more)
        self.more.setVisible(bool(more))
        self._about.setText(worth_words(effects))
        missing = missing_effect(found, bars)
        if missing and not self._work.working and not self._work.trouble:
            self._work.want(missing)

    def _show_work(self) -> None:
        """Say how far it is, or what there is to do."""
        work, found = self._work, self._work.found
        done = found is not None and found.done
        if work.working:
            self.strip.progress(
                translate(found.phase) if found is not None else tr("Starting…"),
                found.share if found is not None else 0.0,
            )
        elif work.trouble:
            self.strip.offer(tr("&Compute"), translate(work.trouble))
        elif work.plan is None:
            self.strip.offer("", tr("Reading the columns…"))
        elif not done:
            self.strip.offer(tr("&Compute"), estimate_words(work.plan))
        self.strip.setVisible(work.working or bool(work.trouble) or not done)
