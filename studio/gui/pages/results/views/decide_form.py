"""What is asked for a decision: the class, and a threshold or the costs of both errors."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSlider, QWidget

from studio.gui.base.theme import GRID
from studio.gui.pages.results.views.decide_model import Tried
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, percentage, positive
from studio.gui.widgets.flow import Flow
from studio.language import tr

STEPS = 1000
"""Steps of the slider, from 0 to 1."""


class DecideForm(QWidget):
    """The inputs; what they come to is :attr:`tried`."""

    changed = Signal()
    """Something else is tried."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = Tried()
        self.classes: dict[str, QPushButton] = {}
        self._chips = Flow(gap=GRID)
        self._looked_for = kit.label(tr("Class to find:"))
        self._chips.addWidget(self._looked_for)
        self._class_group = QButtonGroup(self)
        by_group = QButtonGroup(self)
        self.by_threshold = self._chip(
            by_group,
            tr("Manually"),
            tr("Choose the probability from which a row gets the label"),
            lambda: self._change(way="hand"),
        )
        self.by_costs = self._chip(
            by_group,
            tr("From costs"),
            tr("Enter the cost of each error to find the cheapest threshold"),
            lambda: self._change(way="costs"),
        )
        self.by_capacity = self._chip(
            by_group,
            tr("From capacity"),
            tr("Say how many rows you can handle to find the threshold"),
            lambda: self._change(way="capacity"),
        )
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 20)
        self.slider.setAccessibleName(tr("Threshold"))
        self.slider.setToolTip(tr("The probability from which a row gets the label"))
        self.slider.valueChanged.connect(self._slid)
        self.threshold = NumberEdit(percentage, self._typed_threshold)
        tip = tr("A row gets the label where the class is at least this probable")
        self._probability = Field(tr("Probability"), self.threshold, unit="%", tip=tip)
        self._probability.setFixedWidth(16 * GRID)
        self._by_hand = QWidget()
        kit.row(self._probability, self.slider, on=self._by_hand, spacing=2 * GRID)
        self.miss = NumberEdit(positive(), lambda value: self._change(miss=value))
        self.alarm = NumberEdit(positive(), lambda value: self._change(alarm=value))
        self._miss = Field(
            tr("A miss costs"),
            self.miss,
            tip=tr("Cost of missing a positive row"),
        )
        self._alarm = Field(
            tr("A false alarm costs"),
            self.alarm,
            tip=tr("Cost of labelling a row of the other class"),
        )
        self._costs = QWidget()
        kit.row(self._miss, self._alarm, None, on=self._costs, spacing=2 * GRID)
        self.handled = NumberEdit(percentage, self._typed_share)
        tip = tr("Share of all rows that can get the label")
        self._capacity = Field(tr("I can handle"), self.handled, unit=tr("% of the rows"), tip=tip)
        self._capacity.setFixedWidth(28 * GRID)
        title = kit.label(tr("Threshold:"))
        for each in (title, self.by_threshold, self.by_costs, self.by_capacity):
            self._chips.addWidget(each)
        for each in (self._looked_for, title):
            each.setMinimumHeight(self.by_costs.sizeHint().height())
        kit.column(self._chips, self._by_hand, self._costs, self._capacity, on=self)
        self.show_tried(Tried())

    def show_tried(self, tried: Tried) -> None:
        """Show what is tried, without saying that it changed."""
        self.tried = tried
        for name, chip in self.classes.items():
            chip.setChecked(name == tried.looked_for)
        ways = {
            "hand": (self.by_threshold, self._by_hand),
            "costs": (self.by_costs, self._costs),
            "capacity": (self.by_capacity, self._capacity),
        }
        for way, (chip, fields) in ways.items():
            chip.setChecked(way == tried.way)
            fields.setVisible(way == tried.way)
        self.slider.blockSignals(True)
        self.slider.setValue(round(STEPS * tried.threshold))
        self.slider.blockSignals(False)
        self.threshold.show_value(float(f"{100 * tried.threshold:.4g}"))
        self.miss.show_value(tried.miss)
        self.alarm.show_value(tried.alarm)
        self.handled.show_value(float(f"{100 * tried.handled:.4g}"))

    def offer(self, classes: tuple[str, ...]) -> None:
        """Let one of these classes be looked for."""
        if tuple(self.classes) == classes:
            return
        for chip in self.classes.values():
            self._chips.removeWidget(chip)
            chip.deleteLater()
        self.classes = {name: self._class_chip(name) for name in classes}
        for place, chip in enumerate(self.classes.values()):
            self._chips.insert(1 + place, chip)

    def _class_chip(self, name: str) -> QPushButton:
        tip = tr("Look for the rows of class “{name}”", name=name)
        return self._chip(self._class_group, name, tip, lambda: self._look_for(name))

    def _chip(
        self, group: QButtonGroup, text: str, tip: str, clicked: Callable[[], object]
    ) -> QPushButton:
        return kit.chip(text, clicked, tip=tip, group=group)

    def _look_for(self, name: str) -> None:
        self._take(self.tried.about(name))

    def _slid(self, value: int) -> None:
        self._change(threshold=value / STEPS)

    def _typed_threshold(self, value: object) -> None:
        assert isinstance(value, float)
        self._change(threshold=value / 100)

    def _typed_share(self, value: object) -> None:
        assert isinstance(value, float)
        self._change(handled=value / 100)

    def _change(self, **changes: object) -> None:
        self._take(replace(self.tried, **changes))  # type: ignore[arg-type]

    def _take(self, tried: Tried) -> None:
        if tried != self.tried:
            self.show_tried(tried)
            self.changed.emit()
