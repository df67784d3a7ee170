"""Forms made from what parts declare: a new part needs no line of code here."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from studio.errors import UsageError
from studio.gui import kit
from studio.gui.fields import Choice, Field, NumberEdit
from studio.gui.theme import GRID
from studio.parts import Option, OptionValue

_KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}
_COLUMNS = 3


def option_from(declared: Mapping[str, Any]) -> Option:
    """Make an option from its declaration in JSON."""
    return Option(
        **{
            **declared,
            "kind": _KINDS[declared["kind"]],
            "choices": tuple(declared["choices"]),
        }
    )


def field_for(option: Option, value: OptionValue, taken: Callable[[OptionValue], None]) -> Field:
    """Return a field for one option that calls ``taken`` with each valid value.

    Parameters
    ----------
    value : OptionValue
        What is shown at first.
    """
    title = option.name.replace("_", " ").capitalize()
    tip = f"{option.help}\nAllowed: {option.describe()}. Default: {option.default}."
    control: Choice | NumberEdit
    if option.kind in {bool, str}:
        words = (
            [(True, "yes"), (False, "no")]
            if option.kind is bool
            else [(choice, choice) for choice in option.choices]
        )
        offered: list[tuple[object, str]] = [*words]
        if option.optional:
            offered.insert(0, (None, "automatic"))
        control = Choice(offered, lambda chosen: taken(option.parse(chosen)))
    else:
        control = NumberEdit(_parser(option), lambda typed: taken(option.parse(typed)), "automatic")
    control.show_value(value)
    field = Field(title, control, unit=option.unit, tip=tip, hint=option.help)
    if isinstance(control, NumberEdit):
        control.complain = field.complain
    return field


def _parser(option: Option) -> Callable[[str], object]:
    def parse(text: str) -> object:
        try:
            return option.parse(text or None)
        except UsageError as error:
            raise ValueError(str(error)) from error

    return parse


class PartsForm(QWidget):
    """The parts of a method: which one of each kind, and their options.

    ``changed`` is called with the new overrides (``"part.option"`` or ``"part"`` → value).
    """

    def __init__(self, changed: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._changed = changed
        self._shown: object = None
        self._overrides: dict[str, Any] = {}
        self.fields: dict[str, Field] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2 * GRID)

    def show_method(
        self,
        preset: Mapping[str, Any],
        rooms: Mapping[str, list[dict[str, Any]]],
        overrides: Mapping[str, Any],
    ) -> None:
        """Show a preset with what was changed in it; what is on show already is left alone."""
        self._overrides = dict(overrides)
        chosen = {room: overrides.get(room, key) for room, key in preset["parts"].items()}
        if (preset["name"], chosen) == self._shown:
            return
        self._shown = (preset["name"], chosen)
        kit.clear(self._column)
        self.fields = {}
        for room, key in chosen.items():
            self._add_room(room, key, preset, rooms.get(room, []))

    def _add_room(
        self, room: str, key: str, preset: Mapping[str, Any], declared: list[dict[str, Any]]
    ) -> None:
        part = next((each for each in declared if each["key"] == key), None)
        frame, column = kit.card()
        own = preset["parts"][room]
        heading = kit.label(room.capitalize(), "section")
        choice = Choice(self._keys(room, own, declared), lambda value: self._choose(room, value))
        choice.setAccessibleName(f"{room}: which one")
        choice.setMinimumContentsLength(20)
        choice.show_value(key)
        # Another proposer is another method: that is chosen by name above.
        choice.setEnabled(room != "proposer" and choice.count() > 1)
        column.addLayout(kit.row(heading, None, choice))
        summary = part["summary"] if part else "The ensemble that the search itself maintains."
        column.addWidget(kit.label(summary, "muted", wrap=True))
        if part and part["options"]:
            column.addLayout(self._grid(room, own == key, part, preset))
        self._column.addWidget(frame)

    def _keys(
        self, room: str, own: str, declared: list[dict[str, Any]]
    ) -> list[tuple[object, str]]:
        keys: list[tuple[object, str]] = [(each["key"], each["title"]) for each in declared]
        if own not in [key for key, _ in keys]:
            keys.insert(0, (own, "The search's own"))
        return keys

    def _grid(
        self, room: str, of_preset: bool, part: Mapping[str, Any], preset: Mapping[str, Any]
    ) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID + GRID // 2)
        for position, declared in enumerate(part["options"]):
            option = option_from(declared)
            name = f"{room}.{option.name}"
            base = preset["options"].get(name, option.default) if of_preset else option.default
            field = field_for(
                option,
                self._overrides.get(name, base),
                partial(self._set, name, base),
            )
            self.fields[name] = field
            grid.addWidget(
                field, position // _COLUMNS, position % _COLUMNS, Qt.AlignmentFlag.AlignTop
            )
        for column in range(_COLUMNS):
            grid.setColumnStretch(column, 1)
        return grid

    def _set(self, name: str, base: OptionValue, value: OptionValue) -> None:
        overrides = {key: each for key, each in self._overrides.items() if key != name}
        if value != base:
            overrides[name] = value
        self._overrides = overrides
        self._changed(overrides)

    def _choose(self, room: str, key: object) -> None:
        overrides = {
            name: each
            for name, each in self._overrides.items()
            if name != room and not name.startswith(f"{room}.")
        }
        overrides[room] = key
        self._changed(overrides)
