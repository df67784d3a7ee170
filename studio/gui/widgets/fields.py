"""Form fields with name, unit, explanation and error message."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QPlainTextEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.number_parsing import parse_duration, parse_localised_number
from studio.gui.base.tooltips import make_plain_tip, put_tip_below
from studio.gui.widgets import kit
from studio.language import group_digits, localise_number, tr
from studio.measure import format_exact_duration

N = TypeVar("N", int, float)

_TEXT_PADDING = 6
"""Horizontal padding of the style around the text, in device-independent pixels."""


_MIN_ROWS = 10
"""Minimum number of rows of a drop-down's list before it scrolls."""


class DropDown(QComboBox):
    """A drop-down of its column's width; long texts are elided, by default at the end."""

    elide_mode = Qt.TextElideMode.ElideRight

    def showPopup(self) -> None:
        """Show all items and the longest text in full, if they fit on the screen."""
        view, screen = self.view(), self.screen()
        # Ten rows without a sign of more below them would hide the others.
        row_height = max(1, view.sizeHintForRow(0))
        self.setMaxVisibleItems(
            max(_MIN_ROWS, 2 * screen.availableGeometry().height() // 3 // row_height)
        )
        bar = view.verticalScrollBar().sizeHint().width()
        popup_width = view.sizeHintForColumn(0) + bar + 2 * view.frameWidth() + _TEXT_PADDING
        view.setMinimumWidth(min(popup_width, screen.availableGeometry().width() // 2))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.get_display_text()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        """Prepend the full text to the tooltip if it is elided."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            full_text = self.currentText().strip()
            if self.get_display_text() != full_text:
                QToolTip.showText(event.globalPos(), put_tip_below(full_text, self.toolTip()), self)
                return True
        return super().event(event)

    def get_display_text(self) -> str:
        """Return the text without the list's indentation."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        area = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(
            self.currentText().strip(), self.elide_mode, area.width() - _TEXT_PADDING
        )


_MIN_TITLE_WIDTH = 48


class FieldTitle(kit.ElidedLabel):
    """The label above an input."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, mode=Qt.TextElideMode.ElideMiddle, tip=tip)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.text()) + 2
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return a small minimum, so that a long label does not widen its column."""
        hint = self.sizeHint()
        return QSize(min(_MIN_TITLE_WIDTH, hint.width()), hint.height())


class Field(QWidget):
    """A label above an input, a unit after it, a line of help or an error beneath.

    Problems of a :class:`NumberEdit` are shown there.

    Args:
        width: In pixels at a scale of 1; 0: that of the layout.
    """

    def __init__(
        self,
        name: str,
        control: QWidget,
        *,
        unit: str = "",
        tip: str = "",
        hint: str = "",
        width: int = 0,
    ) -> None:
        super().__init__()
        self._width = width
        self.control, self.name = control, name
        self._title = title = FieldTitle(name, tip)
        self._unit_label = kit.label(unit, "muted")
        title.setBuddy(control)
        control.setToolTip(make_plain_tip(tip))
        control.setAccessibleDescription(tip)
        if isinstance(control, NumberEdit):
            control.on_problem = self.show_problem
            control.on_reading = self.set_unit
        self._hint = hint
        self.note_label = kit.label(hint, "small", wrap=True)
        if not hint:  # without a parent it would be shown as a window
            self.note_label.hide()
        kit.column(
            title, kit.row((control, 1), self._unit_label), self.note_label, parent=self, spacing=4
        )
        self.set_unit(unit)
        if width:
            theme.get_notifier().changed.connect(self._fit)
            self._fit()

    def _fit(self) -> None:
        self.setFixedWidth(theme.pixels(self._width))

    def set_unit(self, unit: str) -> None:
        """Set the unit after the input; empty for none."""
        kit.show_text(self._unit_label, unit)
        self.control.setAccessibleName(f"{self.name} ({unit})" if unit else self.name)

    def explain(self, text: str) -> None:
        """Set the line of help."""
        self._hint = text
        self._show(text, "small", valid=True)

    def show_problem(self, text: str) -> None:
        """Show the problem of the input; empty for none."""
        if text:
            self._show(text, "problem", valid=False)
        else:
            self._show(self._hint, "small", valid=True)

    def _show(self, text: str, role: str, *, valid: bool) -> None:
        kit.show_text(self.note_label, text)
        kit.set_role(self.note_label, role)
        kit.set_role(self.control, "true" if valid else "false", "valid")


class NumberEdit(kit.LineEdit):
    """A number, or a date, as text: empty may mean "none"; invalid input is reported and ignored.

    Args:
        parse: Returns the value of a text, or raises ``ValueError`` with a sentence.
        on_value: Called with every new valid value.

    Attributes:
        problem: The text's problem, "" when it is valid.
    """

    validated = Signal()
    """The input was validated: :attr:`problem` may have changed."""

    def __init__(
        self,
        parse: Callable[[str], object],
        on_value: Callable[[object], None],
        placeholder: str = "",
        format_value: Callable[[object], str] | None = None,
    ) -> None:
        super().__init__()
        self._parse = parse
        self._on_value = on_value
        self._format_value = format_value or _format_number
        self.on_problem: Callable[[str], None] = lambda _: None
        self.on_reading: Callable[[str], None] = lambda _: None
        self.problem = ""
        self.setPlaceholderText(placeholder)
        self.textEdited.connect(self._on_edit)

    def show_value(self, value: object) -> None:
        """Set the value, unless the user is typing an equal value."""
        if self.hasFocus():
            try:
                if self._parse(self.text()) == value:
                    return
            except ValueError:
                return
        text = "" if value is None else self._format_value(value)
        if text != self.text():
            self.setText(text)
        self._set_problem("")

    def _on_edit(self, text: str) -> None:
        try:
            value = self._parse(text.strip())
        except ValueError as problem:
            self._set_problem(str(problem))
            return
        self._set_problem("")
        self._on_value(value)

    def _set_problem(self, problem: str) -> None:
        self.problem = problem
        self.on_problem(problem)
        self.validated.emit()


_TEXT_LINES, _TEXT_MARGINS = 3, 12
"""Number of visible lines of a :class:`TextEdit`, and pixels around them."""


class TextEdit(QPlainTextEdit):
    """A text in several lines, shown from its beginning; empty may mean "none".

    Args:
        on_value: Called with every new text, without surrounding blanks; ``None`` for none.
    """

    def __init__(self, on_value: Callable[[object], None], placeholder: str = "") -> None:
        super().__init__()
        self._on_value = on_value
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._on_edit)

    @property
    def value(self) -> str | None:
        """The text without surrounding blanks; ``None`` if empty."""
        return self.toPlainText().strip() or None

    def show_value(self, value: object) -> None:
        """Set the text, unless it is equal."""
        if value != self.value:
            with QSignalBlocker(self):
                self.setPlainText("" if value is None else str(value))

    def sizeHint(self) -> QSize:
        height = _TEXT_LINES * self.fontMetrics().lineSpacing() + theme.pixels(_TEXT_MARGINS)
        return QSize(super().sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def _on_edit(self) -> None:
        self._on_value(self.value)


class DurationEdit(NumberEdit):
    """A duration, written with its units: "1 min 20 s".

    Args:
        unit: "s" or "min": the unit of the value, and of typed numbers without a unit.
        on_value: Called with every new valid value.
        optional: Whether it may be empty.
    """

    def __init__(
        self,
        unit: str,
        on_value: Callable[[object], None],
        placeholder: str = "",
        *,
        optional: bool = False,
    ) -> None:
        parse = make_duration_parser(unit, optional=optional)
        unit_seconds = {"s": 1, "min": 60}[unit]
        super().__init__(
            parse,
            on_value,
            placeholder,
            lambda value: format_exact_duration(unit_seconds * float(str(value))),
        )
        self.textChanged.connect(self._show_reading)
        self.editingFinished.connect(self._rewrite)

    def _show_reading(self, text: str) -> None:
        """Show beside the input how another spelling, such as a plain number, is read."""
        value: object = None
        with suppress(ValueError):
            value = self._parse(text.strip())
        reading = "" if value is None else self._format_value(value)
        self.on_reading("" if reading in ("", text.strip()) else f"= {reading}")

    def _rewrite(self) -> None:
        with suppress(ValueError):
            value = self._parse(self.text().strip())
            self.setText("" if value is None else self._format_value(value))


def _format_number(value: object) -> str:
    return localise_number(f"{value:g}") if isinstance(value, float) else str(value)


def make_integer_parser(
    low: int, high: int | None = None, *, optional: bool = False
) -> Callable[[str], int | None]:
    """Return a parser of whole numbers within bounds."""

    def describe_bounds() -> str:
        if high is None:
            return tr("Expected a whole number of at least {low}.", low=group_digits(low))
        return tr(
            "Expected a whole number from {low} to {high}.",
            low=group_digits(low),
            high=group_digits(high),
        )

    def fits(value: float) -> bool:
        return value.is_integer() and value >= low and (high is None or value <= high)

    return _allow_empty(lambda text: int(_parse_bounded(text, fits, describe_bounds)), optional)


def make_positive_parser(*, optional: bool = False) -> Callable[[str], float | None]:
    """Return a parser of positive numbers."""

    def parse(text: str) -> float:
        return _parse_bounded(
            text, lambda value: value > 0, lambda: tr("Expected a number above 0.")
        )

    return _allow_empty(parse, optional)


def make_duration_parser(unit: str, *, optional: bool = False) -> Callable[[str], float | None]:
    """Return a parser of durations in a unit such as "min", which plain numbers also have."""

    def parse(text: str) -> float:
        try:
            return parse_duration(text, unit)
        except ValueError:
            message = tr("Expected a time above 0, such as 2, 40 s, 1:30 or 1 h 20 min.")
            raise ValueError(message) from None

    return _allow_empty(parse, optional)


def _allow_empty(parse: Callable[[str], N], optional: bool) -> Callable[[str], N | None]:
    return lambda text: None if not text and optional else parse(text)


def parse_percentage(text: str) -> float:
    """Parse a percentage from 0 to 100."""
    return _parse_bounded(
        text, lambda value: 0 <= value <= 100, lambda: tr("Expected a number from 0 to 100.")
    )


def _parse_bounded(text: str, fits: Callable[[float], bool], message: Callable[[], str]) -> float:
    """Parse a number within bounds; raise an error with a message otherwise."""
    try:
        value = parse_localised_number(text)
    except ValueError:
        raise ValueError(message()) from None
    if not fits(value):
        raise ValueError(message())
    return value


class Choice(DropDown):
    """A drop-down of values with labels, insensitive to the wheel."""

    def __init__(
        self, items: list[tuple[object, str]], on_value: Callable[[object], object]
    ) -> None:
        super().__init__()
        self._on_value = on_value
        self._values: list[object] = []
        self.set_items(items)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.activated.connect(lambda position: self._on_value(self._values[position]))

    @property
    def values(self) -> tuple[object, ...]:
        """The values, in the order of the list."""
        return tuple(self._values)

    def set_items(self, items: list[tuple[object, str]]) -> None:
        """Replace the values."""
        values = [value for value, _ in items]
        texts = [text for _, text in items]
        if values == self._values and texts == [self.itemText(i) for i in range(self.count())]:
            return
        self._values = values
        self.clear()
        self.addItems(texts)

    def mark_unsuitable(self, reasons: Mapping[object, str]) -> None:
        """Grey out unsuitable values, each with its reason; they can still be chosen."""
        grey = theme.colour(theme.current().muted)
        for position, value in enumerate(self._values):
            reason = reasons.get(value, "")
            self.setItemData(position, make_plain_tip(reason) or None, Qt.ItemDataRole.ToolTipRole)
            self.setItemData(position, grey if reason else None, Qt.ItemDataRole.ForegroundRole)

    def show_value(self, value: object) -> None:
        """Set the current value."""
        if value in self._values:
            self.setCurrentIndex(self._values.index(value))
        else:
            self.setCurrentIndex(-1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Let the page scroll instead."""
        event.ignore()
