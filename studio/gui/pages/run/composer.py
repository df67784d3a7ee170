"""Composer of a method: its parts, their alternatives, and their options."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from studio.errors import UsageError
from studio.gui.base.number_parsing import parse_localised_number
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.drafts.method_names import PART_TERMS, PART_TITLES, get_option_title
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit
from studio.gui.widgets.fold import CollapsibleSection
from studio.helper.methods import Catalogue, Compatibility
from studio.language import ntr, tr, translate
from studio.parts import Declaration, Option, OptionValue
from studio.proposers.composition import (
    FROM_SEARCH,
    Preset,
    choose_part,
    find_ineffective_overrides,
    get_base_value,
    get_chosen_parts,
    is_applicable,
)

_COLUMNS = 3
_MAX_CHOICE_LETTERS = 40
"""Letters of a part's name beyond which its choice grows no wider."""

_MIN_CHOICE_LETTERS = 5
"""Minimum number of visible letters of an option's choice; columns must fit a small window."""


def make_field(
    option: Option, value: OptionValue, on_value: Callable[[OptionValue], None]
) -> Field:
    """Create a field for one option that calls ``on_value`` with each valid value."""
    tip = tr(
        "{help}\nAllowed: {allowed}. Default: {default}.",
        help=translate(option.help),
        allowed=translate(option.describe()),
        default=option.default,
    )
    control: Choice | NumberEdit
    if option.kind in {bool, str}:
        choices: list[tuple[object, str]] = (
            [(True, tr("yes")), (False, tr("no"))]
            if option.kind is bool
            else [*_list_choices(option)]
        )
        if option.optional:
            choices.insert(0, (None, tr("automatic")))
        control = Choice(choices, lambda chosen: on_value(option.parse(chosen)))
        control.setMinimumContentsLength(_MIN_CHOICE_LETTERS)
    else:
        control = NumberEdit(
            _make_parser(option), lambda typed: on_value(option.parse(typed)), tr("automatic")
        )
    control.show_value(value)
    title = get_option_title(option.name)
    return Field(title, control, unit=translate(option.unit), tip=tip, hint=translate(option.help))


def _list_choices(option: Option) -> list[tuple[object, str]]:
    labels = option.words or option.choices
    return [(key, translate(word)) for key, word in zip(option.choices, labels, strict=True)]


def _make_parser(option: Option) -> Callable[[str], object]:
    def parse(text: str) -> object:
        typed: object = text or None
        with suppress(ValueError):  # option.parse reports invalid values
            typed = parse_localised_number(text)
        try:
            return option.parse(typed)
        except UsageError as error:
            raise ValueError(translate(str(error))) from error

    return parse


class OptionGrid(QGridLayout):
    """Three columns of fields: the active ones in order, without gaps."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(2 * GRID)
        self.setVerticalSpacing(GRID + GRID // 2)
        for column in range(_COLUMNS):
            self.setColumnStretch(column, 1)
        self._fields: list[tuple[Option, Field]] = []
        self.n_visible = 0
        """The number of visible entries."""

    def add(self, option: Option, field: Field) -> None:
        """Add an option's field; :meth:`arrange` places it."""
        self._fields.append((option, field))

    def arrange(self, counts: Callable[[Option], bool]) -> None:
        """Show the fields of the options for which ``counts`` is true."""
        self.n_visible = 0
        for option, field in self._fields:
            self.removeWidget(field)
            is_shown = counts(option)
            if is_shown:
                position = divmod(self.n_visible, _COLUMNS)
                self.addWidget(field, *position, Qt.AlignmentFlag.AlignTop)
                self.n_visible += 1
            elif field.parentWidget() is None:
                field.setParent(self.parentWidget())
            field.setVisible(is_shown)


_MAX_VISIBLE_OPTIONS = 3
"""Maximum number of visible options; more are folded if that saves two lines or more."""


class PartCard(QFrame):
    """A drop-down with a part's title and description, its options beneath.

    Args:
        search_ensemble: The preset's part, offered even if it is not in the catalogue.
        choose, change: Called with the key of the chosen part, and with an option's name, default
            and new value.
        on_problem: Called with the name of an option's field and its problem, or "".
    """

    def __init__(
        self,
        part_name: str,
        key: str,
        offered: tuple[Declaration, ...],
        *,
        search_ensemble: str,
        base: Callable[[Option], OptionValue],
        overrides: Mapping[str, OptionValue],
        choose: Callable[[str], None],
        change: Callable[[str, OptionValue, OptionValue], None],
        on_problem: Callable[[str, str], None],
    ) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.part_kind = part_name
        self.fields: dict[str, Field] = {}
        self._options_by_name: dict[str, Option] = {}
        self._grids: list[OptionGrid] = []
        self._fold: CollapsibleSection | None = None
        self._overrides, self._base, self._on_change = overrides, base, change
        self._on_problem = on_problem
        part = next((each for each in offered if each.key == key), None)
        items: list[tuple[object, str]] = [(each.key, translate(each.title)) for each in offered]
        if search_ensemble and search_ensemble not in [value for value, _ in items]:
            items.insert(0, (search_ensemble, tr("The search's own")))
        self.choice = Choice(items, lambda value: choose(str(value)))
        longest = max((len(title) for _, title in items), default=0)
        self.choice.setMinimumContentsLength(min(longest, _MAX_CHOICE_LETTERS))
        self.choice.setAccessibleName(tr("{part}: which one", part=tr(PART_TITLES[part_name])))
        self.choice.setToolTip(
            make_plain_tip(tr("Choose another {part}", part=tr(PART_TERMS[part_name])))
        )
        self.choice.setEnabled(self.choice.count() > 1)
        self.choice.show_value(key)
        summary, source = tr("The ensemble that the search itself maintains."), ""
        if part:
            summary, source = translate(part.summary), translate(part.reference)
        summary_label = kit.label(summary, "muted", wrap=True)
        summary_label.setToolTip(make_plain_tip(source))
        self.problem_label = kit.label("", "problem", wrap=True)
        self.problem_label.setVisible(False)
        text = tr(PART_TITLES[part_name])
        header = kit.row((kit.label(text, "section", wrap=True), 1), self.choice, spacing=2 * GRID)
        term = tr("In the papers: {term}", term=tr(PART_TERMS[part_name]))
        column = kit.column(
            header,
            self.problem_label,
            summary_label,
            kit.label(term, "small", wrap=True),
            parent=self,
            margin=2 * GRID,
        )
        if part is not None:
            self._add_options(column, part)

    def show_problem(self, text: str) -> None:
        """Show why the method does not support the chosen part; empty if it does."""
        kit.show_text(self.problem_label, text)
        kit.set_role(self.choice, "false" if text else "true", "valid")

    def show_applicable(self, overrides: Mapping[str, OptionValue]) -> None:
        """Show exactly the options that apply to the current choices."""
        self._overrides = overrides
        for grid in self._grids:
            grid.arrange(self._is_applicable)
        self.reset_invalid_fields(lambda option: not self._is_applicable(option))
        if self._fold is not None:
            rest = self._grids[-1].n_visible
            self._fold.set_title(ntr("More settings ({count})", "More settings ({count})", rest))
            self._fold.setVisible(rest > 0)

    def show_base(self, names: Iterable[str]) -> None:
        """Show the preset's values of unchanged options ("part.option")."""
        for name in names:
            control = self.fields[name].control
            assert isinstance(control, Choice | NumberEdit)
            control.show_value(self._base(self._options_by_name[name.partition(".")[2]]))

    def reset_invalid_fields(self, condition: Callable[[Option], bool] = lambda _: True) -> None:
        """Reset fields with invalid text to the current values."""
        for name, field in self.fields.items():
            option, control = self._options_by_name[name.partition(".")[2]], field.control
            if isinstance(control, NumberEdit) and control.problem and condition(option):
                control.clearFocus()
                control.show_value(self._get_value(option.name))

    def _show_problem(self, field: Field, sentence: str) -> None:
        field.show_problem(sentence)
        self._on_problem(f"{tr(PART_TITLES[self.part_kind])}, {field.name}", sentence)

    def _is_applicable(self, option: Option) -> bool:
        return is_applicable(option, self._get_value)

    def _get_value(self, name: str) -> OptionValue:
        return self._overrides.get(
            f"{self.part_kind}.{name}", self._base(self._options_by_name[name])
        )

    def _add_options(self, column: QVBoxLayout, part: Declaration) -> None:
        options = part.options
        self._options_by_name = {each.name: each for each in options}
        changed_options = [
            each for each in options if f"{self.part_kind}.{each.name}" in self._overrides
        ]
        first = list(options[:_MAX_VISIBLE_OPTIONS])
        first += [each for each in changed_options if each not in first]
        folded = [each for each in options if each not in first]
        if first:
            self._grids.append(self._make_grid(first))
            column.addLayout(self._grids[-1])
        if folded:
            content = QWidget()
            self._grids.append(self._make_grid(folded))
            content.setLayout(self._grids[-1])
            tip = tr("Rarely changed options")
            self._fold = CollapsibleSection(f"part/{self.part_kind}", "", tip, content)
            column.addWidget(self._fold)
        self.show_applicable(self._overrides)

    def _make_grid(self, options: list[Option]) -> OptionGrid:
        grid = OptionGrid()
        for option in options:
            name = f"{self.part_kind}.{option.name}"
            base = self._base(option)
            field = make_field(
                option, self._overrides.get(name, base), partial(self._on_change, name, base)
            )
            if isinstance(field.control, NumberEdit):
                field.control.on_problem = partial(self._show_problem, field)
            self.fields[name] = field
            grid.add(option, field)
        return grid


Overrides = dict[str, OptionValue]


class Composer(QWidget):
    """A card per applicable part, in the order of use in a trial.

    Args:
        on_problem: Called with the name of an option's field and its problem, or "".
    """

    def __init__(
        self,
        changed: Callable[[Overrides], None],
        on_problem: Callable[[str, str], None] = lambda _name, _sentence: None,
    ) -> None:
        super().__init__()
        self._on_change, self._on_problem = changed, on_problem
        self._column = kit.column(parent=self, spacing=GRID + GRID // 2)
        self._displayed: tuple[object, ...] = ()
        self._overrides: Overrides = {}
        self._displayed_overrides: Overrides = {}
        self.cards: dict[str, PartCard] = {}

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of all options, by "part.option"."""
        return {name: field for card in self.cards.values() for name, field in card.fields.items()}

    def show_method(
        self, preset: Preset, catalogue: Catalogue, overrides: Mapping[str, OptionValue]
    ) -> None:
        """Show a preset with its changes; does nothing if it is already shown."""
        self._preset, self._catalogue, self._overrides = preset, catalogue, dict(overrides)
        parts = get_chosen_parts(preset, overrides, catalogue.rules)
        if (preset.key, parts) == self._displayed and dict(overrides) == self._displayed_overrides:
            return
        self._displayed, self._displayed_overrides = (preset.key, parts), dict(overrides)
        focused = next(
            (part_kind for part_kind, each in self.cards.items() if each.choice.hasFocus()), ""
        )
        self.reset_invalid_fields()
        kit.clear(self._column)
        self.cards = {
            part_kind: PartCard(
                part_kind,
                key,
                catalogue.parts.get(part_kind, ()),
                search_ensemble=self._find_search_ensemble(part_kind, key),
                base=partial(self._get_base_value, part_kind),
                overrides=overrides,
                choose=partial(self._choose, part_kind),
                change=self._set_option,
                on_problem=self._on_problem,
            )
            for part_kind, key in parts.items()
        }
        for card in self.cards.values():
            self._column.addWidget(card)
        if focused in self.cards:
            self.cards[focused].choice.setFocus()

    def reset_invalid_fields(self) -> None:
        """Discard invalid input that is no longer visible."""
        for card in self.cards.values():
            card.reset_invalid_fields()

    def show_check(self, compatibility: Compatibility) -> None:
        """Show conflicts at the conflicting part, and disable conflicting options."""
        for name, card in self.cards.items():
            card.show_problem(
                translate(compatibility.problem) if name == compatibility.part else ""
            )
            card.choice.mark_unsuitable(
                {
                    key: translate(reason)
                    for key, reason in compatibility.rejections.get(name, {}).items()
                }
            )

    def _find_search_ensemble(self, part_name: str, key: str) -> str:
        """Return an additional drop-down entry for an ensemble maintained by the search."""
        parts, rules = self._preset.get_all_parts(), self._catalogue.rules
        ensemble = parts.get(part_name, "")
        proposer = self._overrides.get("proposer", parts["proposer"])
        if part_name == "ensemble" and (proposer in rules.ensemble_proposers or key == FROM_SEARCH):
            return FROM_SEARCH
        return ensemble if ensemble != FROM_SEARCH else ""

    def _get_base_value(self, part_name: str, option: Option) -> OptionValue:
        return get_base_value(
            self._preset, self._overrides, part_name, option, self._catalogue.rules
        )

    def _set_option(self, name: str, base: OptionValue, value: OptionValue) -> None:
        overrides = {key: each for key, each in self._overrides.items() if key != name}
        if value != base:
            overrides[name] = value
        inactive = find_ineffective_overrides(
            self._preset, overrides, self._catalogue.parts, self._catalogue.rules
        )
        overrides = {key: each for key, each in overrides.items() if key not in inactive}
        card = self.cards[name.partition(".")[0]]
        card.show_base(inactive)  # the default is restored when it applies again
        card.show_applicable(overrides)
        self._displayed_overrides = overrides  # the field shows it already
        self._emit_overrides(overrides)

    def _choose(self, part_name: str, key: str) -> None:
        self._emit_overrides(
            choose_part(self._preset, self._overrides, part_name, key, self._catalogue.rules)
        )

    def _emit_overrides(self, overrides: Overrides) -> None:
        self._overrides = overrides
        self._on_change(overrides)
