"""The effect of one column: what the ensemble predicts over its values."""

from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.plots.column_effects_figures import dependence_figure
from studio.gui.plots.column_effects_model import Effects, effect_words
from studio.gui.plots.painting.canvas import dress_canvas, make_canvas, settle
from studio.gui.plots.painting.legend import Legend
from studio.gui.plots.painting.painter import Painter, entries
from studio.gui.widgets import kit

_HEIGHT = 290


class EffectChart(QWidget):
    """A line over the values of a number, a dot for each category; rows beneath."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = kit.label("", "section", wrap=True)
        self._words = kit.label("", "small", wrap=True)
        self.legend = Legend()
        self.canvas = make_canvas()
        self.canvas.setFixedHeight(_HEIGHT)
        self.canvas.setAccessibleName(tr("Effect of a column"))
        self.canvas.viewport().installEventFilter(self)
        self.canvas.scene().sigMouseMoved.connect(self._hover)
        self._painter = Painter(self.canvas)
        self._shown: tuple[Effects, str, int] | None = None
        self._rest = ""
        kit.column(
            self._title,
            self.legend,
            self.canvas,
            self._words,
            None,
            on=self,
            spacing=theme.GRID // 2,
        )
        dress_canvas(self.canvas)
        theme.notifier().changed.connect(self._dress)

    @property
    def told(self) -> str:
        """What is said beneath the drawing."""
        return self._words.text()

    def show_effect(self, effects: Effects, name: str, code: int) -> None:
        """Draw the effect of a column, told of the class with this code."""
        self._shown = (effects, name, code)
        self._title.setText(tr("Effect of {name}", name=name))
        there = effects.knows(name)
        for part in (self.legend, self.canvas):
            part.setVisible(there)
        if not there:
            self._rest = tr("Its effect is not known yet.")
        else:
            drawn = dependence_figure(effects, name, code)
            self._painter.paint(drawn)
            self.legend.show_entries(entries(drawn.marks))
            settle(self.canvas)
            self._rest = drawn.rest
        self._words.setText(self._rest)

    def _dress(self, _: object) -> None:
        dress_canvas(self.canvas)
        self.legend.dress()
        if self._shown is not None:
            self.show_effect(*self._shown)

    def _hover(self, where: QPointF) -> None:
        at = self._painter.pointer(where)
        if self._shown is None or at is None:
            return
        effects, name, code = self._shown
        self._words.setText(effect_words(effects, name, code, at.x) or self._rest)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Say what the whole shows when the pointer leaves; draw for another size."""
        if event.type() == QEvent.Type.Leave:
            self._words.setText(self._rest)
        elif event.type() == QEvent.Type.Resize and self._shown is not None:
            self.show_effect(*self._shown)
        return super().eventFilter(watched, event)
