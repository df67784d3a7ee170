"""Fields made from what parts declare: a new part needs no line of code here."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from studio.errors import UsageError
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.drafts.method_names import option_title
from studio.gui.widgets.fields import Choice, Field, NumberEdit
from studio.parts import Option, OptionValue

_COLUMNS = 3


def field_for(option: Option, value: OptionValue, taken: Callable[[OptionValue], None]) -> Field:
    """Return a field for one option that calls ``taken`` with each valid value.

    Parameters
    ----------
    value : OptionValue
        What is shown at first.
    """
    tip = tr(
        "{help}\nAllowed: {allowed}. Default: {default}.",
        help=said(option.help),
        allowed=said(option.describe()),
        default=option.default,
    )
    control: Choice | NumberEdit
    if option.kind in {bool, str}:
        offered: list[tuple[object, str]] = (
            [(True, tr("yes")), (False, tr("no"))] if option.kind is bool else [*_words(option)]
        )
        if option.optional:
            offered.insert(0, (None, tr("automatic")))
        control = Choice(offered, lambda chosen: taken(option.parse(chosen)))
    else:
        control = NumberEdit(
            _parser(option), lambda typed: taken(option.parse(typed)), tr("automatic")
        )
    control.show_value(value)
    title = option_title(option.name)
    return Field(title, control, unit=said(option.unit), tip=tip, hint=said(option.help))


def _words(option: Option) -> list[tuple[object, str]]:
    words = option.words or option.choices
    return [(key, said(word)) for key, word in zip(option.choices, words, strict=True)]


def _parser(option: Option) -> Callable[[str], object]:
    def parse(text: str) -> object:
        try:
            return option.parse(text or None)
        except UsageError as error:
            raise ValueError(said(str(error))) from error

    return parse


class OptionGrid(QGridLayout):
    """Three columns of fields: those that count, in order, without gaps for those that do not."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(2 * GRID)
        self.setVerticalSpacing(GRID + GRID // 2)
        for column in range(_COLUMNS):
            self.setColumnStretch(column, 1)
        self._fields: list[tuple[Option, Field]] = []
        self.shown = 0
        """How many there are to see."""

    def add(self, option: Option, field: Field) -> None:
        """Add the field of an option; :meth:`arrange` gives it its place."""
        self._fields.append((option, field))

    def arrange(self, counts: Callable[[Option], bool]) -> None:
        """Show the fields of the options for which ``counts`` is true."""
        self.shown = 0
        for option, field in self._fields:
            self.removeWidget(field)
            wanted = counts(option)
            if wanted:
                place = divmod(self.shown, _COLUMNS)
                self.addWidget(field, *place, Qt.AlignmentFlag.AlignTop)
                self.shown += 1
            elif field.parentWidget() is None:
                field.setParent(self.parentWidget())
            field.setVisible(wanted)
