"""Activation rules of a hyperparameter, one line each."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import compress

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from studio.errors import SpaceError
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.pages.space import formatting
from studio.gui.pages.space.formatting import format_short_value, parse_number
from studio.gui.pages.space.inputs import DelayedEdit
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice
from studio.language import tr, translate
from studio.space import editing
from studio.space.base import Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant, get_values
from studio.space.ranges import Float, Integer
from studio.space.space import Space

_DISCRETE = Categorical | Boolean | Constant
_MAX_PARENTS = 200


class RulesForm(QWidget):
    """All rules of a hyperparameter, joined by "and".

    Args:
        changed: Called with the new rules.
        store_draft: Called with a field ("conditions 0") and its unusable text, or ``None``.
    """

    def __init__(
        self,
        changed: Callable[[tuple[Condition, ...]], object],
        store_draft: Callable[[str, str | None], object],
    ) -> None:
        super().__init__()
        self._changed, self._store_draft = changed, store_draft
        self._rules: tuple[Condition, ...] = ()
        self._layout_key: object = None
        self._parents: list[Parameter] = []
        self._parts: dict[tuple[int, int], QWidget] = {}
        self._ranges: dict[str, DelayedEdit] = {}
        self._focus_target: tuple[int, int] | None = None
        self.sentence = kit.label("", "small", wrap=True)
        self.complaint = kit.label("", "problem", wrap=True)
        self.add_button = kit.button(
            tr("Add a rule"),
            self.add_rule,
            kind="link",
            tip=tr("Make it active only where another hyperparameter has certain values"),
        )
        self._layout = kit.column(spacing=GRID // 2)
        last = kit.row(self.add_button, None)
        kit.column(self.sentence, self._layout, self.complaint, last, on=self, spacing=GRID // 2)

    def show_rules(
        self,
        space: Space,
        parameter: Parameter,
        complaint: str,
        drafts: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Show a hyperparameter's rules, their problems, and invalid input."""
        self._build(space, parameter, complaint)
        for field, text in drafts:
            if field in self._ranges:
                self._ranges[field].show_draft(text)

    def finish(self) -> None:
        """Commit the input."""
        for edit in self._ranges.values():
            edit.finish()

    def _build(self, space: Space, parameter: Parameter, complaint: str) -> None:
        kit.show_text(self.complaint, complaint)
        list_descendants = set(editing.get_subtree(space, parameter.name))
        self._parents = [p for p in space.parameters if p.name not in list_descendants][
            :_MAX_PARENTS
        ]
        self._rules = parameter.conditions
        layout_key = (
            parameter.name,
            self._rules,
            [(p.name, type(p), get_values(p)) for p in self._parents],
        )
        if layout_key == self._layout_key:
            return
        self._layout_key = layout_key
        # The focused widget is gone: focus its replacement.
        focused = next((key for key, part in self._parts.items() if part.hasFocus()), None)
        focus_target, self._focus_target = self._focus_target or focused, None
        for edit in self._ranges.values():
            edit.disable()
        self._parts, self._ranges = {}, {}
        kit.clear(self._layout)
        sentence = f"{formatting.format_rules(self._rules)}." if self._rules else ""
        self.sentence.setText(sentence or tr("No rule: it is always active."))
        for number, rule in enumerate(self._rules):
            parts = self._make_line(number, rule)
            self._parts |= {(number, index): part for index, part in enumerate(parts)}
            line = kit.row(*parts, spacing=GRID // 2)
            line.setStretch(0, 1)
            line.setStretch(2, 1)
            self._layout.addLayout(line)
        self.add_button.setVisible(bool(self._parents))
        if focus_target is not None:
            key = min(focus_target[0], len(self._rules) - 1), focus_target[1]
            self._parts.get(key, self.add_button).setFocus()

    def add_rule(self) -> None:
        """Add a rule on a hyperparameter without one, preferably a choice."""
        used_parents = {rule.parent for rule in self._rules}
        unused_parents = [p for p in self._parents if p.name not in used_parents]
        unused_parents.sort(key=lambda parent: not isinstance(parent, _DISCRETE))
        if unused_parents:
            self._focus_target = (len(self._rules), 0)
            self._changed((*self._rules, _make_default_rule(unused_parents[0])))

    def _make_line(self, number: int, rule: Condition) -> list[QWidget]:
        names: dict[object, Parameter] = {p.name: p for p in self._parents}
        parent_choice = Choice(
            [(name, str(name)) for name in names],
            lambda name: self._set_rule(number, _make_default_rule(names[name])),
        )
        parent_choice.setAccessibleName(
            tr("Rule {number}: on which hyperparameter", number=number + 1)
        )
        parent_choice.show_value(rule.parent)
        parent_choice.setMinimumContentsLength(6)
        parent_choice.setToolTip(tr("The hyperparameter whose value decides"))
        parent_choice.setMinimumWidth(96)
        parent = names.get(rule.parent)
        name, tip = tr("Remove rule {number}", number=number + 1), tr("Remove this rule")
        remove = partial(self._set_rule, number, None)
        remove_button = kit.button("", remove, kind="quiet", icon="cross", name=name, tip=tip)
        remove_button.setFixedWidth(32)
        control = (
            self._make_values_button(number, rule, parent)
            if isinstance(parent, _DISCRETE)
            else self._make_range_edit(number, rule)
        )
        return [parent_choice, kit.label(tr("is"), "muted"), control, remove_button]

    def _make_values_button(
        self, number: int, rule: Condition, parent: Categorical | Boolean | Constant
    ) -> QPushButton:
        words, tip = formatting.format_rule_condition(rule), tr("The values that make it active")
        button = kit.button(words, lambda: None, tip=tip)
        button.setAccessibleName(tr("Rule {number}: values", number=number + 1))
        menu = QMenu(button)
        for value in parent.choices:
            action = menu.addAction(escape_mnemonics(format_short_value(value)))
            action.setCheckable(True)
            action.setChecked(value in (rule.values or ()))

        def set_values() -> None:
            ticked = [action.isChecked() for action in menu.actions()]
            self._set_rule(number, Condition(rule.parent, tuple(compress(parent.choices, ticked))))

        menu.triggered.connect(set_values)
        button.setMenu(menu)
        button.setMinimumWidth(72)
        return button

    def _make_range_edit(self, number: int, rule: Condition) -> DelayedEdit:
        def check(text: str) -> bool:
            try:
                _parse_bounds(text)
            except SpaceError as error:
                kit.show_text(self.complaint, translate(str(error)))
                return False
            self.complaint.hide()
            return True

        edit = self._ranges[_get_field_name(number)] = DelayedEdit(
            check,
            lambda text: self._set_rule(number, Condition(rule.parent, None, *_parse_bounds(text))),
            partial(self._store_draft, _get_field_name(number)),
        )
        edit.setPlaceholderText("2 … 5")
        edit.setToolTip(tr("From … to: “2 … 5”, “2 …” for at least 2, “… 5” for at most 5"))
        edit.setAccessibleName(tr("Rule {number}: range", number=number + 1))
        low = "" if rule.low is None else formatting.format_number(rule.low)
        high = "" if rule.high is None else formatting.format_number(rule.high)
        edit.show_text(f"{low} … {high}".strip())
        return edit

    def _set_rule(self, number: int, rule: Condition | None) -> None:
        for index in range(len(self._rules)):
            self._store_draft(_get_field_name(index), None)
        rules = list(self._rules)
        rules[number : number + 1] = [] if rule is None else [rule]
        self._changed(tuple(rules))


def _get_field_name(number: int) -> str:
    """Return the field name of a rule's invalid input."""
    return f"conditions {number}"


def _parse_bounds(text: str) -> tuple[float | None, float | None]:
    bounds = formatting.split_range(text)
    if bounds is None:
        raise SpaceError(tr("Expected a range such as 2 … 5; leave one end out for no limit."))
    low, high = (parse_number(end) if end else None for end in bounds)
    return low, high


def _make_default_rule(parent: Parameter) -> Condition:
    if isinstance(parent, _DISCRETE):
        return Condition(parent.name, parent.choices[:1])
    assert isinstance(parent, Float | Integer)
    return Condition(parent.name, None, parent.low, parent.high)
