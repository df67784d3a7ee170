"""One part of a method: which one, what it does, and its options."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from studio.errors import UsageError
from studio.gui.base.theme import GRID
from studio.gui.base.typed_numbers import typed_number
from studio.gui.drafts.method_names import ROOMS, TERMS, option_title
from studio.gui.plots.base.header import Explanation
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit
from studio.gui.widgets.fold import Fold
from studio.language import ntr, tr, translate
from studio.parts import Declaration, Option, OptionValue
from studio.proposers.composition import counts

_COLUMNS = 3


def field_for(option: Option, value: OptionValue, taken: Callable[[OptionValue], None]) -> Field:
    """Return a field for one option that calls ``taken`` with each valid value.

    Args:
        value: What is shown at first.
    """
    tip = tr(
        "{help}\nAllowed: {allowed}. Default: {default}.",
        help=translate(option.help),
        allowed=translate(option.describe()),
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
    return Field(title, control, unit=translate(option.unit), tip=tip, hint=translate(option.help))


def _words(option: Option) -> list[tuple[object, str]]:
    words = option.words or option.choices
    return [(key, translate(word)) for key, word in zip(option.choices, words, strict=True)]


def _parser(option: Option) -> Callable[[str], object]:
    def parse(text: str) -> object:
        typed: object = text or None
        with suppress(ValueError):  # the option itself says what a word means
            typed = typed_number(text)
        try:
            return option.parse(typed)
        except UsageError as error:
            raise ValueError(translate(str(error))) from error

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


_SHOWN = 3
"""Options on show; those beyond are folded away where it spares more than a line."""


class PartCard(QFrame):
    """A drop-down with a part's title and sentences, its options beneath.

    Args:
        room: "proposer", "surrogate", …
        key: The chosen part's key.
        offered: What can be chosen.
        own: The preset's own part, offered too where it is none of them (the search's own
            ensemble).
        base, overrides: What an option is where it is not changed; what is changed.
        choose, change: Called with another part's key; with an option's name, its base and its new
            value.
        complain: Called with the name of an option's field and what is wrong with its text, or "".
    """

    def __init__(
        self,
        room: str,
        key: str,
        offered: tuple[Declaration, ...],
        *,
        own: str,
        base: Callable[[Option], OptionValue],
        overrides: Mapping[str, OptionValue],
        choose: Callable[[str], None],
        change: Callable[[str, OptionValue, OptionValue], None],
        complain: Callable[[str, str], None],
    ) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.room = room
        self.fields: dict[str, Field] = {}
        self._declared: dict[str, Option] = {}
        self._grids: list[OptionGrid] = []
        self._fold: Fold | None = None
        self._overrides, self._base, self._change = overrides, base, change
        self._complain = complain
        part = next((each for each in offered if each.key == key), None)
        items: list[tuple[object, str]] = [(each.key, translate(each.title)) for each in offered]
        if own and own not in [value for value, _ in items]:
            items.insert(0, (own, tr("The search's own")))
        self.choice = Choice(items, lambda value: choose(str(value)))
        self.choice.setMinimumContentsLength(22)
        self.choice.setAccessibleName(tr("{part}: which one", part=tr(ROOMS[room])))
        self.choice.setToolTip(tr("Choose another {part}", part=tr(TERMS[room])))
        self.choice.setEnabled(self.choice.count() > 1)
        self.choice.show_value(key)
        what = kit.button(
            tr("What is this?"),
            lambda: self._explain(part),
            kind="link",
            tip=tr("What this part does, and where it comes from"),
        )
        summary = (
            translate(part.summary)
            if part
            else tr("The ensemble that the search itself maintains.")
        )
        self.problem = kit.label("", "problem", wrap=True)
        self.problem.setVisible(False)
        head = kit.row(
            (kit.label(tr(ROOMS[room]), "section", wrap=True), 1), self.choice, spacing=2 * GRID
        )
        term = tr("In the papers: {term}", term=tr(TERMS[room]))
        column = kit.column(
            head,
            self.problem,
            kit.label(summary, "muted", wrap=True),
            kit.row(kit.label(term, "small"), None, what),
            on=self,
            margin=2 * GRID,
        )
        if part is not None:
            self._add_options(column, part)

    def show_problem(self, text: str) -> None:
        """Say beside the choice why the method cannot work with it; empty when all is well."""
        kit.show_text(self.problem, text)
        kit.set_role(self.choice, "false" if text else "true", "valid")

    def show_counting(self, overrides: Mapping[str, OptionValue]) -> None:
        """Show the options that count with what is chosen now, and only those."""
        self._overrides = overrides
        for grid in self._grids:
            grid.arrange(self._counts)
        self.put_right(lambda option: not self._counts(option))
        if self._fold is not None:
            rest = self._grids[-1].shown
            self._fold.name(ntr("More settings ({count})", "More settings ({count})", rest))
            self._fold.setVisible(rest > 0)

    def show_base(self, names: Iterable[str]) -> None:
        """Show that options are what they are where they are not changed ("part.option")."""
        for name in names:
            control = self.fields[name].control
            assert isinstance(control, Choice | NumberEdit)
            control.show_value(self._base(self._declared[name.partition(".")[2]]))

    def put_right(self, where: Callable[[Option], bool] = lambda _: True) -> None:
        """Let fields whose text is wrong show again what counts."""
        for name, field in self.fields.items():
            option, control = self._declared[name.partition(".")[2]], field.control
            if isinstance(control, NumberEdit) and control.problem and where(option):
                control.clearFocus()
                control.show_value(self._value_of(option.name))

    def _refuse(self, field: Field, sentence: str) -> None:
        field.complain(sentence)
        self._complain(f"{tr(ROOMS[self.room])}, {field.name}", sentence)

    def _counts(self, option: Option) -> bool:
        return counts(option, self._value_of)

    def _value_of(self, name: str) -> OptionValue:
        return self._overrides.get(f"{self.room}.{name}", self._base(self._declared[name]))

    def _add_options(self, column: QVBoxLayout, part: Declaration) -> None:
        options = part.options
        self._declared = {each.name: each for each in options}
        changed = [each for each in options if f"{self.room}.{each.name}" in self._overrides]
        first = list(options[:_SHOWN])
        first += [each for each in changed if each not in first]
        rest = [each for each in options if each not in first]
        if first:
            self._grids.append(self._grid(first))
            column.addLayout(self._grids[-1])
        if rest:
            inside = QWidget()
            self._grids.append(self._grid(rest))
            inside.setLayout(self._grids[-1])
            tip = tr("Options that are seldom changed")
            self._fold = Fold(f"part/{self.room}", "", tip, inside)
            column.addWidget(self._fold)
        self.show_counting(self._overrides)

    def _grid(self, options: list[Option]) -> OptionGrid:
        grid = OptionGrid()
        for option in options:
            name = f"{self.room}.{option.name}"
            base = self._base(option)
            field = field_for(
                option, self._overrides.get(name, base), partial(self._change, name, base)
            )
            if isinstance(field.control, NumberEdit):
                field.control.complain = partial(self._refuse, field)
            self.fields[name] = field
            grid.add(option, field)
        return grid

    def _explain(self, part: Declaration | None) -> None:
        title = translate(part.title) if part else tr("The search's own")
        summary = (
            translate(part.summary)
            if part
            else tr("The ensemble that the search itself maintains, place by place, while it runs.")
        )
        source = translate(part.reference) if part else "Lévesque et al. 2016"
        about = tr("The exact term: the method's {term}.", term=tr(TERMS[self.room]))
        Explanation(title, summary, about, source, self).show_below(self.choice)
