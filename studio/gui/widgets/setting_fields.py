"""Form fields generated from declared settings."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from studio.gui.base.tooltips import make_plain_tip
from studio.gui.widgets.fields import (
    DurationEdit,
    Field,
    NumberEdit,
    make_integer_parser,
    make_positive_parser,
)
from studio.language import tr, translate
from studio.setting import Setting, iter_settings


class ChoiceCheckBox(QCheckBox):
    """A checkbox for one of two values, checked for the second."""

    def __init__(self, text: str, values: tuple[Any, ...], on_value: Callable[[Any], None]) -> None:
        super().__init__(text)
        self._checked_value = values[1]
        self.clicked.connect(lambda is_checked: on_value(values[is_checked]))

    def show_value(self, value: object) -> None:
        """Set the current value."""
        self.setChecked(value == self._checked_value)


class ValidatedLineEdit(QLineEdit):
    """A stripped text, committed when editing is finished; invalid input is reported instead.

    Args:
        problem: Returns the reason to reject a text, "" for none.
    """

    def __init__(
        self,
        placeholder: str,
        on_value: Callable[[object], None],
        problem: Callable[[str], str] = lambda _: "",
    ) -> None:
        super().__init__()
        self._on_value, self._find_problem = on_value, problem
        self._value: object = ""
        self.on_problem: Callable[[str], None] = lambda _: None
        self.setPlaceholderText(placeholder)
        self.editingFinished.connect(self._on_editing_finished)

    def show_value(self, value: object) -> None:
        """Set the value programmatically; unfinished input and its problem are kept."""
        is_changed, self._value = value != self._value, value
        if self.hasFocus() or (self._find_problem(self.text().strip()) and not is_changed):
            return
        self.setText(str(value))
        self.on_problem("")

    def _on_editing_finished(self) -> None:
        text = self.text().strip()
        sentence = self._find_problem(text)
        self.on_problem(translate(sentence))
        if not sentence:
            self._on_value(text)


Input = NumberEdit | ChoiceCheckBox | ValidatedLineEdit


def make_setting_parser(setting: Setting) -> Callable[[str], int | None]:
    """Return a parser of a setting's whole numbers; empty is allowed if it has a placeholder."""
    low, high = int(setting.low or 0), int(setting.high or 0) or None
    return make_integer_parser(low, high, optional=setting.optional and bool(setting.empty))


class SettingFields:
    """The fields of a form's declared settings.

    Args:
        change: Called with a setting's name and each new valid value, in the setting's unit.
        on_problem: Called with a field's name and its problem, or "".
        slots: The values of the slots in help texts.
    """

    def __init__(
        self,
        change: Callable[[str, object], None],
        on_problem: Callable[[str, str], None] = lambda _name, _sentence: None,
        **slots: object,
    ) -> None:
        self._on_change, self._on_problem, self._slots = change, on_problem, slots
        self._settings: list[Setting] = []
        self.inputs: dict[str, Input] = {}

    def make_group_fields(self, record: type, group: str) -> list[QWidget]:
        """Create the fields of a group of a record's settings."""
        return [self._add_setting(each) for each in iter_settings(record) if each.group == group]

    def _add_setting(self, setting: Setting) -> QWidget:
        editor = self._make_input(setting)
        self.inputs[setting.name] = editor
        self._settings.append(setting)
        tip = tr(setting.help, **self._slots)
        if isinstance(editor, ChoiceCheckBox):
            editor.setToolTip(make_plain_tip(tip))
            editor.setAccessibleName(editor.text())
            return editor
        title, hint = tr(setting.title), tr(setting.hint)
        unit = "" if isinstance(editor, DurationEdit) else tr(setting.unit)
        field = Field(title, editor, unit=unit, tip=tip, hint=hint)
        if isinstance(editor, NumberEdit | ValidatedLineEdit):
            editor.on_problem = partial(self._show_problem, field)
        return field

    def _show_problem(self, field: Field, sentence: str) -> None:
        field.show_problem(sentence)
        self._on_problem(field.name, sentence)

    def show(self, values: Mapping[str, object], task: str = "") -> None:
        """Show the values by name, and hide settings that do not apply to the task."""
        for setting in self._settings:
            editor, value = self.inputs[setting.name], values[setting.name]
            if setting.form_unit_factor != 1 and value is not None:
                value = float(str(value)) / setting.form_unit_factor
            editor.show_value(value)
            if isinstance(editor, ChoiceCheckBox):
                editor.setVisible(not task or setting.applies_to(task))

    def _make_input(self, setting: Setting) -> Input:
        def set_value(value: object) -> None:
            if setting.form_unit_factor != 1 and value is not None:
                value = float(str(value)) * setting.form_unit_factor
            self._on_change(setting.name, value)

        if setting.kind is bool or setting.choices:
            return ChoiceCheckBox(tr(setting.title), setting.choices or (False, True), set_value)
        if setting.kind is str:
            return ValidatedLineEdit(tr(setting.empty), set_value, setting.find_problem)
        if setting.kind is float and setting.unit in {"s", "min"}:
            return DurationEdit(
                str(setting.unit), set_value, tr(setting.empty), optional=setting.optional
            )
        if setting.kind is int:
            return NumberEdit(make_setting_parser(setting), set_value, tr(setting.empty))
        parse = make_positive_parser(optional=setting.optional)
        return NumberEdit(parse, set_value, tr(setting.empty))
