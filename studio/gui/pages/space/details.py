"""Form next to the tree: the selected hyperparameter or value, otherwise the space."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QMenu, QPushButton, QWidget

from studio.errors import SpaceError
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.pages.space import cells, edits, formatting
from studio.gui.pages.space.branches import LEARNERS
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.formatting import parse_number
from studio.gui.pages.space.inputs import DelayedEdit
from studio.gui.pages.space.outline import OutlineRow
from studio.gui.pages.space.range_axis import RangeAxisView
from studio.gui.session.learner_names import get_learner_name
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.language import N_, ntr, tr, translate
from studio.learners.choice import ALGORITHM
from studio.space import editing
from studio.space.base import Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant, get_values
from studio.space.library import find_original
from studio.space.ranges import Float, Integer
from studio.space.space import Space

_DISCRETE = Categorical | Boolean | Constant
_MAX_PARENTS = 200


class RulesForm(QWidget):
    """All rules of a hyperparameter, joined by "and".

    Args:
        store_draft: Called with a field ("conditions 0") and its invalid text, or ``None``.
    """

    def __init__(
        self,
        changed: Callable[[tuple[Condition, ...]], object],
        store_draft: Callable[[str, str | None], object],
    ) -> None:
        super().__init__()
        self._on_change, self._store_draft = changed, store_draft
        self._rules: tuple[Condition, ...] = ()
        self._layout_key: object = None
        self._parents: list[Parameter] = []
        self._parts: dict[tuple[int, int], QWidget] = {}
        self._ranges: dict[str, DelayedEdit] = {}
        self._space: Space | None = None
        self._name = ""
        self._focus_target: tuple[int, int] | None = None
        self.sentence_label = kit.label("", "small", wrap=True)
        self.problem_label = kit.label("", "problem", wrap=True)
        tip = tr("Make it active only where another hyperparameter has certain values")
        self.add_button = kit.button(tr("Add a rule"), self.add_rule, kind="link", tip=tip)
        self._layout = kit.column(spacing=GRID // 2)
        last = kit.row(self.add_button, None)
        parts = (self.sentence_label, self._layout, self.problem_label, last)
        kit.column(*parts, parent=self, spacing=GRID // 2)

    def show_rules(
        self, space: Space, parameter: Parameter, problem: str, drafts: Sequence[tuple[str, str]]
    ) -> None:
        """Show a hyperparameter's rules, their problems, and invalid input."""
        self._build(space, parameter, problem)
        for field, text in drafts:
            if field in self._ranges:
                self._ranges[field].show_draft(text)

    def finish(self) -> None:
        """Commit the input."""
        for edit in self._ranges.values():
            edit.finish()

    def _build(self, space: Space, parameter: Parameter, problem: str) -> None:
        kit.show_text(self.problem_label, problem)
        self._space, self._name = space, parameter.name
        descendants = set(editing.get_subtree(space, parameter.name))
        candidates = [p for p in space.parameters if p.name not in descendants]
        self._parents, self._rules = candidates[:_MAX_PARENTS], parameter.conditions
        parents_key = [(p.name, type(p), get_values(p)) for p in self._parents]
        layout_key = (parameter.name, self._rules, parents_key)
        if layout_key == self._layout_key:
            return
        self._layout_key = layout_key
        # The focused widget was deleted: focus its replacement.
        focused = next((key for key, part in self._parts.items() if part.hasFocus()), None)
        focus_target, self._focus_target = self._focus_target or focused, None
        for edit in self._ranges.values():
            edit.disable()
        self._parts, self._ranges = {}, {}
        kit.clear(self._layout)
        sentence = f"{formatting.format_rules(self._rules)}." if self._rules else ""
        self.sentence_label.setText(sentence or tr("No rule: it is always active."))
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
        """Add a rule that can hold on a hyperparameter without one, preferably a choice."""
        assert self._space is not None, "its rules are shown"
        rule = edits.find_new_rule(self._space, self._name, self._parents)
        if rule is None:
            text = tr("No other hyperparameter is active with this one.")
            kit.show_text(self.problem_label, text)
            return
        self._focus_target = (len(self._rules), 0)
        self._on_change((*self._rules, rule))

    def _make_line(self, number: int, rule: Condition) -> list[QWidget]:
        names: dict[object, Parameter] = {p.name: p for p in self._parents}
        parent_choice = Choice(
            [(name, str(name)) for name in names],
            lambda name: self._set_rule(number, edits.make_default_rule(names[name])),
        )
        text = tr("Rule {number}: on which hyperparameter", number=number + 1)
        parent_choice.setAccessibleName(text)
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
        text, tip = formatting.format_rule_condition(rule), tr("The values that make it active")
        button = kit.button(text, lambda: None, tip=tip)
        button.setAccessibleName(tr("Rule {number}: values", number=number + 1))
        menu = QMenu(button)
        for value in parent.choices:
            action = menu.addAction(escape_mnemonics(formatting.format_choice(parent, value)))
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
                kit.show_text(self.problem_label, translate(str(error)))
                return False
            self.problem_label.hide()
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
        self._on_change(tuple(rules))


def _get_field_name(number: int) -> str:
    """Return the field name of a rule's invalid input."""
    return f"conditions {number}"


def _parse_bounds(text: str) -> tuple[float | None, float | None]:
    bounds = formatting.split_range(text)
    if bounds is None:
        raise SpaceError(tr("Expected a range such as 2 … 5; leave one end out for no limit."))
    low, high = (parse_number(end) if end else None for end in bounds)
    return low, high


_TITLES = {
    "title": (N_("Title"), N_("Name of the space on the Run page")),
    "name": (N_("Name"), N_("Unique in the space; trials are listed under it")),
    "kind": (N_("Kind"), N_("Kind of values: number, choice, fixed value, …")),
    "low": (N_("Smallest"), N_("The lower end of the range (inclusive)")),
    "high": (N_("Largest"), N_("The upper end of the range (inclusive)")),
    "log": (N_("Scale"), N_("Linear, or logarithmic: equal factors are equally likely")),
    "default": (N_("Default"), N_("Tried first, and used where nothing else is known")),
    "value": (N_("Value"), N_("Passed to the learner unchanged; never searched")),
    "sets": (
        N_("Learner's setting"),
        N_("The learner's own name for it, such as rbf-svm.C; “algorithm” chooses the learner"),
    ),
    "note": (N_("Note"), N_("Shown as a tooltip; changes nothing")),
}
_VALUE_TITLES = (N_("Value"), N_("Also renamed in all rules"))
_SINGLE_ROW_FIELDS = {"low", "high", "log", "default", "choices", "value", "note", "kind"}
"""Fields validated within their hyperparameter, to avoid validating a huge space at each key."""


class DetailsForm(QWidget):
    """Fields of the selected row, each with its problem beneath."""

    def __init__(self, editor: SpaceEditor) -> None:
        super().__init__()
        self._editor = editor
        self._layout_key: object = None
        self._row: OutlineRow | None = None
        self._has_several = False
        self._clear_fields()
        self._column = kit.column(parent=self, spacing=GRID + GRID // 2)
        editor.changed.connect(self._show)
        editor.current_row_changed.connect(self._show)
        editor.drafts_changed.connect(lambda _: self._show())
        self._show()

    def _clear_fields(self) -> None:
        self.fields: dict[str, Field] = {}
        self._lines: dict[str, DelayedEdit] = {}
        self._choices: dict[str, Choice] = {}
        self.axis: RangeAxisView | None = None
        self.rules: RulesForm | None = None

    def redraw(self) -> None:
        """Apply the current colours and type size."""
        if self.axis is not None:
            self.axis.updateGeometry()

    # ---- display

    def _show(self) -> None:
        row, space = self._editor.current_row, self._editor.space
        if space is None:
            return
        n_selected = len(self._editor.selected_rows)
        previous_key, key = (None if each is None else each.key for each in (self._row, row))
        is_new = not self._column.count() or key != previous_key
        if is_new or (n_selected > 1) != self._has_several:
            self._finish_typing()
            if space != self._editor.space:
                # Committing the input has shown its row again.
                self._editor.select_row(key)
                return
        layout_key = self._make_layout_key(space, row, n_selected)
        must_rebuild = layout_key != self._layout_key or not self._column.count()
        if must_rebuild:
            kit.clear(self._column)
            self._clear_fields()
        self._layout_key, self._row, self._has_several = layout_key, row, n_selected > 1
        if must_rebuild:
            self._build(space, row, n_selected)
            self._column.addStretch(1)
        if n_selected < 2:
            self._fill(space, row, is_new)

    def _finish_typing(self) -> None:
        """Commit input and drags before their field disappears."""
        for part in (*self._lines.values(), self.axis, self.rules):
            if part is not None:
                part.finish()

    def _make_layout_key(self, space: Space, row: OutlineRow | None, n_selected: int) -> object:
        """Return a key of the set of fields; for an equal key, fields are refilled, not rebuilt."""
        if n_selected > 1:
            return n_selected
        if row is None:
            return space.summary, find_original(space) is None
        if row.rule is not None:
            return row.key, len(self._editor.outline.get_children(row))
        return type(row.parameter)

    def _fill(self, space: Space, row: OutlineRow | None, is_new: bool) -> None:
        """Refresh the fields; unfinished input stays unless the row has changed."""
        for field, line in self._lines.items():
            line.show_text(_get_text(space, row, field), fresh=is_new)
        if row is None:
            return
        drafts, parameter = self._editor.drafts.get_drafts(row.key), row.parameter
        for field, choice in self._choices.items():
            choice.show_value(getattr(parameter, "type" if field == "kind" else field))
        if "default" in self._choices and isinstance(parameter, Categorical | Boolean):
            self._choices["default"].set_items([*cells.list_choices(row, cells.DEFAULT)])
            self._choices["default"].show_value(formatting.format_value(parameter.default))
        if self.axis is not None and isinstance(parameter, Float | Integer):
            self.axis.show_range(parameter, fresh=is_new)
        if self.rules is not None:
            for field in self.fields:
                self._show_problem(space, parameter, field)
            error, note = self._find_problems(space, parameter, "conditions")
            self.rules.show_rules(space, parameter, error or note, drafts)
        for field, text in drafts:
            if field in self._lines:
                self._lines[field].show_draft(text)

    def _show_problem(self, space: Space, parameter: Parameter, field: str) -> None:
        fields = ("choices", "default") if field == "default" else (field,)
        error, note = self._find_problems(space, parameter, *fields)
        if error:
            self.fields[field].show_problem(error)
        else:
            self.fields[field].explain(note)

    def _find_problems(self, space: Space, parameter: Parameter, *fields: str) -> tuple[str, str]:
        """Return the first error and the first note of some fields."""
        current = self._editor.space
        # Libraries' checks of a hyperparameter are outdated while it is being edited.
        is_current = current is not None and parameter in current.parameters
        return edits.find_problems(
            space,
            parameter,
            *fields,
            ignores_rest_of_space=_SINGLE_ROW_FIELDS.issuperset(fields),
            library_problems=self._editor.library_problems if is_current else (),
        )

    # ---- construction

    def _build(self, space: Space, row: OutlineRow | None, n_selected: int) -> None:
        if n_selected > 1:
            title = ntr("{count} row selected", "{count} rows selected", n_selected)
            text = tr(
                "Cut, copy, duplicate, remove and drag apply to all of them. Select a single row "
                "to change its settings."
            )
            labels = (kit.label(title, "section"), kit.label(text, "small", wrap=True))
            kit.fill(self._column, labels)
        elif row is None:
            self._build_space(space)
        elif row.rule is not None:
            self._build_value(row, row.rule)
        else:
            self._build_parameter(row.parameter)

    def _build_space(self, space: Space) -> None:
        original, summary = find_original(space), translate(space.summary)
        if original is not None:
            text = N_("Edited. The original, “{title}”: {summary}")
            summary = tr(text, title=translate(original.title), summary=summary)
        hint = tr("Select a row of the tree to change it, or add one.")
        title = kit.label(tr("The space"), "section")
        labels = (kit.label(each, "small", wrap=True) for each in filter(None, (summary, hint)))
        kit.fill(self._column, (title, self._add_text_field("title"), *labels))

    def _build_value(self, row: OutlineRow, rule: Condition) -> None:
        is_single, name = row.value is not None, row.parameter.name
        text = tr("Several values, or a range, of {name}.", name=name)
        if is_single:
            text = tr("A value of {name}.", name=name)
        is_learner = row.parameter.sets == ALGORITHM and row.value in LEARNERS
        if is_learner:
            learner = get_learner_name(str(row.value))
            text = tr("{title}, a learner. {words}", title=learner, words=text)
        title = kit.ElidedLabel(formatting.format_rule_condition(rule), "section")
        kit.fill(self._column, (title, kit.label(text, "small", wrap=True)))
        if is_single and isinstance(row.parameter, Categorical):
            self._column.addWidget(self._add_text_field("name", _VALUE_TITLES))
        dependents = ntr(
            "{count} hyperparameter active only here.",
            "{count} hyperparameters active only here.",
            len(self._editor.outline.get_children(row)),
        )
        self._column.addWidget(kit.label(dependents, "small"))
        if not is_learner:  # a learner's settings are added by name, from the menu "Add"
            tip = tr("A hyperparameter that is active only under this value (Insert: other kinds)")
            add_number = partial(self._editor.add, "float")
            add_button = kit.button(tr("Add a number here"), add_number, icon="add", tip=tip)
            self._column.addLayout(kit.row(add_button, None))

    def _build_parameter(self, parameter: Parameter) -> None:
        kind = self._get_choice("kind", edits.KINDS, partial(self._apply_edit, edits.set_kind))
        # Names contain the learner's name and need the full width.
        column = kit.column(self._add_text_field("name"), kind)
        self._column.addLayout(column)
        if isinstance(parameter, Float | Integer):
            kit.fill(column, self._build_range())
        elif isinstance(parameter, Constant):
            column.addWidget(self._add_text_field("value"))
        elif isinstance(parameter, Categorical | Boolean):
            column.addWidget(self._get_choice("default", {}, self._set_default))
        if isinstance(parameter, Categorical):
            tip = tr("To the choice; its values are rows of the tree")
            add_value = self._editor.add_value
            add_button = kit.button(tr("Add a value"), add_value, icon="add", tip=tip)
            column.addLayout(kit.row(add_button, None))
        self.rules = RulesForm(partial(self._apply_edit, edits.set_rules), self._store_draft)
        rules_column = kit.column(kit.label(tr("Active only if")), self.rules, spacing=4)
        kit.fill(column, (rules_column, self._add_text_field("sets"), self._add_text_field("note")))

    def _build_range(self) -> tuple[QLayout | QWidget, ...]:
        scale = self._get_choice(
            "log", formatting.SCALE_NAMES, lambda log: self._set_values(log=log)
        )
        grid = QGridLayout()
        grid.setSpacing(GRID)
        for index, field in enumerate(("low", "default", "high")):
            grid.addWidget(self._add_text_field(field), 0, index, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(index, 1)
            # A sentence needs the full width, not a third of it.
            grid.addWidget(self.fields[field].note_label, index + 1, 0, 1, 3)
        grid.setVerticalSpacing(GRID // 2)
        self.axis = RangeAxisView(
            lambda low, high, default: self._set_values(low=low, high=high, default=default)
        )
        footer = kit.row(scale, (self.axis.link, 0, Qt.AlignmentFlag.AlignBottom), None)
        return grid, self.axis, footer

    def _add_field(
        self, field: str, control: QWidget, title_and_tip: tuple[str, str] | None = None
    ) -> Field:
        title, tip = title_and_tip or _TITLES[field]
        form_field = self.fields[field] = Field(tr(title), control, tip=tr(tip))
        return form_field

    def _get_choice(
        self, field: str, values: Mapping[Any, str], on_value: Callable[[object], object]
    ) -> Field:
        items = [(value, translate(words)) for value, words in values.items()]
        choice = self._choices[field] = Choice([*items], on_value)
        return self._add_field(field, choice)

    def _add_text_field(self, field: str, title_and_tip: tuple[str, str] | None = None) -> Field:
        edit = self._lines[field] = DelayedEdit(
            partial(self._check, field),
            lambda text: self._editor.apply_edit(self._make_input_edit(field, text)),
            partial(self._store_draft, field),
        )
        edit.setMinimumWidth(64)
        return self._add_field(field, edit, title_and_tip)

    # ---- input

    def _make_input_edit(self, field: str, text: str) -> Callable[[Space], edits.SpaceEdit]:
        row = self._row
        if row is None:
            return lambda space: edits.set_title(space, text)
        return lambda space: edits.apply_input(space, row, field, text)

    def _check(self, field: str, text: str) -> bool:
        """Show problems at each key press; return whether the text is valid."""
        row, space = self._row, self._editor.space
        if space is None:
            return False
        try:
            edit = self._make_input_edit(field, text)(space)
        except SpaceError:
            assert row is not None
            self.fields[field].show_problem(edits.explain_invalid_input(space, row, field, text))
            return False
        if row is None or row.rule is not None:
            self.fields[field].show_problem("")
        else:
            name = row.parameter.name if edit.selected_key is None else edit.selected_key.name
            self._show_problem(edit.space, edit.space.get_parameter(name), field)
        return True

    def _store_draft(self, field: str, text: str | None) -> None:
        if self._row is not None:
            self._editor.drafts.store(self._row.key, field, text)

    def _set_default(self, text: object) -> None:
        self._editor.apply_edit(self._make_input_edit("default", str(text)))

    def _set_values(self, **values: object) -> None:
        """Change fields of a hyperparameter, converting whole numbers to integers."""
        for field in values:
            self._store_draft(field, None)
        row = self._row
        if row is not None and isinstance(row.parameter, Integer):
            values = {f: round(v) if isinstance(v, float) else v for f, v in values.items()}
        self._apply_edit(lambda space, row: edits.set_values(space, row, **values))

    def _apply_edit(self, edit: Callable[..., edits.SpaceEdit], *arguments: object) -> bool:
        row = self._row
        return row is not None and self._editor.apply_edit(
            lambda space: edit(space, row, *arguments)
        )


def _get_text(space: Space, row: OutlineRow | None, field: str) -> str:
    if row is None:
        return translate(space.title)
    if row.rule is not None:
        return "" if row.value is None else formatting.format_value(row.value)
    value = getattr(row.parameter, field)
    return str(value) if field in {"name", "sets", "note"} else formatting.format_value(value)
