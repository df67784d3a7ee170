"""Fields for the split: a named or custom split, groups, time, and a row limit."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.data.description import ColumnDescription
from studio.data.split_plan import SplitPlan
from studio.data.splits import PROTOCOLS, find_protocol
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit, make_integer_parser
from studio.gui.widgets.setting_fields import make_setting_parser
from studio.language import N_, capitalise, group_digits, ntr, tr, translate
from studio.setting import iter_settings

RowRule = Literal["group", "time", "classes", "numbers", ""]
"""What decides the part of a row: its group, its time, the shares of classes, chance; unknown."""

_MAX_TABLES = 4
"""Maximum number of tables named for each rule."""


def describe_plan(
    plan: SplitPlan,
    n_rows: int,
    *,
    classes: bool | None = None,
    row_constraint: str = "",
    test_file: str = "",
    rules: Mapping[str, RowRule] | None = None,
) -> str:
    """Describe a plan for a table, or for several.

    Args:
        n_rows: Rows of the table; 0 while it is being read, when the result is empty.
        classes: Whether classes are predicted; ``None`` if unknown.
        row_constraint: Whether parts keep groups whole ("group") or follow time ("time").
        test_file: Name of the file of the test rows; empty if they are the table's.
        rules: Instead of classes and constraint: the rule of each of several tables, by name.
    """
    if n_rows < 1:
        return ""
    parts = _describe_parts(plan, n_rows, test_file)
    known_rules = set((rules or {}).values())
    if len(known_rules) > 1:
        return " ".join([f"{parts}.", *_describe_rules(plan, rules or {})])
    for rule in known_rules:
        classes = {"classes": True, "numbers": False}.get(rule)
        row_constraint = rule if rule in {"group", "time"} else ""
    if row_constraint == "group":
        return tr("{parts}; rows of one group stay together.", parts=parts)
    if row_constraint == "time":
        return _describe_time_split(plan, parts, test_file)
    if classes is False:
        return f"{parts}."
    text = N_("{parts}; where classes are predicted, they keep their shares (stratified).")
    if classes:
        text = N_("{parts}; classes keep their shares (stratified).")
    return tr(text, parts=parts)


def _describe_rules(plan: SplitPlan, rules: Mapping[str, RowRule]) -> list[str]:
    """Describe the rules of tables, a sentence each."""
    time_rule = N_("{names}: in time order; the latest rows are the test rows.")
    if plan.folds is not None:
        time_rule = N_(
            "{names}: in time order; the latest rows are the test rows, and each fold is a period "
            "of time."
        )
    sentences: dict[RowRule, str] = {
        "time": time_rule,
        "group": N_("{names}: rows of one group stay together."),
        "classes": N_("{names}: classes keep their shares (stratified)."),
        "numbers": N_("{names}: at random."),
        "": N_("{names}: if classes are predicted, they keep their shares (stratified)."),
    }
    names_by_rule = {
        rule: [name for name, each in rules.items() if each == rule] for rule in sentences
    }
    return [
        tr(
            sentences[rule],
            names=", ".join(names[:_MAX_TABLES] + ["…"] * (len(names) > _MAX_TABLES)),
        )
        for rule, names in names_by_rule.items()
        if names
    ]


def _describe_time_split(plan: SplitPlan, parts: str, test_file: str) -> str:
    if test_file:
        return tr("{parts}. These rows are split in time order.", parts=parts)
    if plan.folds is not None:
        return tr(
            "{parts} in time order: the latest rows are the test rows; each fold is a period of "
            "time.",
            parts=parts,
        )
    return tr("{parts} in time order: the latest rows are the test rows.", parts=parts)


def _describe_parts(plan: SplitPlan, n_rows: int, test_file: str) -> str:
    test = 0 if test_file else round(plan.test * n_rows)
    if plan.folds is not None:
        folds = ntr("{count} fold", "{count} folds", plan.folds)
        n_training = group_digits(n_rows - test)
        if test_file:
            return tr(
                "{folds} over {rest} rows; the test rows come from {file}",
                folds=folds,
                rest=n_training,
                file=test_file,
            )
        return tr(
            "{folds} over about {rest} rows; {test} rows for the test",
            folds=folds,
            rest=n_training,
            test=group_digits(test),
        )
    validation = round(plan.validation * n_rows)
    if test_file:
        validation = round(plan.validation / (plan.train + plan.validation) * n_rows)
    train = n_rows - test - validation
    if plan.cap is not None and train > plan.cap:
        validation, train = validation + train - plan.cap, plan.cap
    if test_file:
        return tr(
            "About {train} rows to learn, {validation} to compare; the test rows come from {file}",
            train=group_digits(train),
            validation=group_digits(validation),
            file=test_file,
        )
    return tr(
        "About {train} rows to learn, {validation} to compare, {test} for the test",
        train=group_digits(train),
        validation=group_digits(validation),
        test=group_digits(test),
    )


def describe_default_split(division: str, test: int, *, test_file: str = "") -> str:
    """Describe the program's split, with the number of test rows or the name of their file."""
    split_text = tr(
        "Chosen when the run starts, depending on the number of rows and your time limit."
    )
    if division:
        split_text = f"{capitalise(division)}."
    if test_file:
        test_text = tr("The test rows come from {file}.", file=test_file)
        return f"{split_text} {test_text}"
    test_text = ntr(
        "About 1 row is kept for the test.", "About {count} rows are kept for the test.", test
    )
    return f"{split_text} {test_text}" if test else split_text


_CUSTOM_KEY, _PROGRAM_KEY = "own", "program"
_HOLDOUT, _FOLDS = "holdout", "folds"

_SHARE_PARSERS = {
    "train": make_integer_parser(1, 98),
    "validation": make_integer_parser(1, 98),
    "test": make_integer_parser(0, 98),
}

_INLINE_FIELDS = ("train", "validation", "folds", "test", "seed")
"""Number fields side by side; of the first three, one or two are hidden."""

ROW_FIELDS = (
    (
        "group",
        N_("Rows that belong together (group)"),
        N_("All rows with the same value of this column stay in one part"),
    ),
    (
        "time",
        N_("Order in time (time)"),
        N_("Models learn from earlier rows and are tested on the latest ones"),
    ),
    (
        "weight",
        N_("Weight of each row (weight)"),
        N_("A row of weight 2 counts as much as two rows"),
    ),
)


class SplitField(QWidget):
    """Edits a split and its row constraints."""

    plan_changed = Signal(SplitPlan)

    automatic_split_requested = Signal()
    """The program's split was chosen."""

    custom_split_requested = Signal()
    """The program's split was copied to a custom split, for editing."""

    row_role_requested = Signal(str, object)
    """A role of :data:`ROW_FIELDS` was assigned to a column (``None`` for none)."""

    def __init__(self) -> None:
        super().__init__()
        self._plan, self._n_rows = SplitPlan(), 0
        self._table_facts: dict[str, Any] = {}
        self._test_file = ""
        self._shows_custom = False
        self._program: bool | None = None
        self._program_split = ""
        self.preset = Choice(_list_split_choices(has_program_split=False), self._on_preset)
        tip = tr(
            "How many rows are used to train, compare and test models; the names follow the papers"
        )
        self.preset_field = Field(tr("Split"), self.preset, tip=tip)
        self.kind = Choice(
            [(_HOLDOUT, tr("Hold-out")), (_FOLDS, tr("k-fold cross-validation"))], self._on_kind
        )
        tip = tr(
            "Hold-out: one part of the rows is kept to evaluate models. k-fold: every row is "
            "used for that once; slower, steadier on small tables."
        )
        self.kind_field = Field(tr("How models are evaluated"), self.kind, tip=tip)
        self.edits: dict[str, NumberEdit] = {}
        self._fields: dict[str, Field] = {}
        for each in iter_settings(SplitPlan):
            edit = self.edits[each.name] = NumberEdit(
                _SHARE_PARSERS.get(each.name) or make_setting_parser(each),
                partial(self._set_number, each.name),
                tr(each.empty),
            )
            field = Field(tr(each.title), edit, unit=tr(each.unit), tip=tr(each.help))
            self._fields[each.name] = field
            edit.on_problem = partial(self._show_problem, each.name)
        self.note_label = kit.label("", "small", wrap=True)
        self.rows: dict[str, Choice] = {}
        column = kit.column(
            self.preset_field,
            self.kind_field,
            kit.row(*((self._fields[name], 1) for name in _INLINE_FIELDS)),
            self._fields["cap"],
            self.note_label,
            parent=self,
        )
        for role, title, tip in ROW_FIELDS:
            choice = self.rows[role] = Choice([], partial(self.row_role_requested.emit, role))
            field = self._fields[role] = Field(tr(title), choice, tip=tr(tip))
            field.hide()  # hidden until the columns are known
            column.addWidget(field)

    def show_plan(
        self,
        plan: SplitPlan,
        n_rows: int,
        *,
        classes: bool | None = None,
        row_constraint: str = "",
        program: bool | None = None,
        words: str = "",
        test_file: str = "",
        rules: Mapping[str, RowRule] | None = None,
    ) -> None:
        """Show a plan, and its meaning for a table of ``n_rows`` rows (:func:`describe_plan`).

        Args:
            plan, n_rows, classes, row_constraint, test_file, rules: See :func:`describe_plan`.
            program: Whether the program divides the rows instead; ``None`` if that is not offered.
        """
        self._program, self._program_split = program, words
        self.preset.set_items(_list_split_choices(has_program_split=program is not None))
        self._plan, self._n_rows, self._test_file = plan, n_rows, test_file
        self._table_facts = {"classes": classes, "row_constraint": row_constraint, "rules": rules}
        self._show()

    def _show(self) -> None:
        plan, test_file = self._plan, self._test_file
        protocol = None if self._shows_custom or self._program else find_protocol(plan)
        is_custom = not self._program and protocol is None
        self.preset.show_value(
            protocol.key if protocol else _CUSTOM_KEY if is_custom else _PROGRAM_KEY
        )
        self.preset_field.explain(translate(protocol.summary) if protocol else "")
        self.kind_field.setVisible(is_custom)
        folds = plan.folds is not None
        self.kind.show_value(_FOLDS if folds else _HOLDOUT)
        hidden = {"train", "validation"} if folds else {"folds"}
        for name, edit in self.edits.items():
            value = getattr(plan, name)
            edit.show_value(round(100 * value) if name in _SHARE_PARSERS else value)
            self._fields[name].setVisible(is_custom and name not in hidden)
        self.edits["test"].setEnabled(not test_file)
        unused = tr("Not used: the test rows come from another file.") if test_file else ""
        self._fields["test"].explain(unused)
        self._show_problem("", "")

    def show_columns(self, columns: Sequence[ColumnDescription]) -> None:
        """Set the columns available as groups, times and weights, and select the current ones."""
        candidates = [each for each in columns if each.role != "target"]
        dates_first = sorted(candidates, key=lambda each: each.kind != "date")
        roles: dict[str, str] = {each.role: each.name for each in columns}
        for role, choice in self.rows.items():
            items: list[tuple[object, str]] = [(None, tr("none"))]
            listed = dates_first if role == "time" else candidates
            choice.set_items([*items, *((each.name, each.name) for each in listed)])
            choice.show_value(roles.get(role))
            self._fields[role].show()
        conflicting_roles = {"group": "time", "time": "group"}
        for role, conflicting_role in conflicting_roles.items():
            is_blocked = conflicting_role in roles
            self.rows[role].setEnabled(not is_blocked)
            note = tr("Not available while rows are kept in time order.")
            if conflicting_role == "group":
                note = tr("Not available while rows are kept in groups.")
            self._fields[role].explain(note if is_blocked else "")

    def _on_preset(self, key: object) -> None:
        if key == _PROGRAM_KEY:
            self._shows_custom = False
            self.automatic_split_requested.emit()
            return
        if key == _CUSTOM_KEY and self._program:
            self._shows_custom = True
            self.custom_split_requested.emit()
            return
        self._shows_custom = key == _CUSTOM_KEY
        plan = next((each.plan for each in PROTOCOLS if each.key == key), None)
        if plan is None:
            self._show()
        else:
            current = self._plan
            self.plan_changed.emit(
                dataclasses.replace(plan, seed=current.seed, equal_rows=current.equal_rows)
            )

    def _on_kind(self, kind: object) -> None:
        if (kind == _FOLDS) != (self._plan.folds is not None):
            test = self._plan.test
            self._shows_custom = True
            self._emit_plan(
                folds=5 if kind == _FOLDS else None,
                train=round(0.75 * (1 - test), 2),
                validation=round(1 - test - round(0.75 * (1 - test), 2), 2),
            )

    def _set_number(self, name: str, value: object) -> None:
        self._shows_custom = True
        if name in _SHARE_PARSERS:
            assert isinstance(value, int)
            self._set_share(name, value)
        else:
            self._emit_plan(**{name: value})

    def _set_share(self, name: str, value: int) -> None:
        """Set a share in percent; the training (or validation) share is the remainder."""
        percent = {each: round(100 * getattr(self._plan, each)) for each in _SHARE_PARSERS}
        percent[name] = value
        other = "validation" if name == "train" else "train"
        if self._plan.folds is not None:
            # With folds only the test's share matters; the others are kept valid.
            percent["validation"] = min(percent["validation"], 98 - value)
        percent[other] = 100 - sum(share for each, share in percent.items() if each != other)
        if percent[other] < 1:
            text = tr("No rows would be left to validate on.")
            if other == "train":
                text = tr("No rows would be left to learn from.")
            self._show_problem(name, text)
            return
        self._emit_plan(**{each: share / 100 for each, share in percent.items()})

    def _emit_plan(self, **values: Any) -> None:
        self.plan_changed.emit(dataclasses.replace(self._plan, **values))

    def _show_problem(self, name: str, text: str) -> None:
        if name:
            kit.set_role(self._fields[name].control, "false" if text else "true", "valid")
        if not text:
            for edit in self.edits.values():
                kit.set_role(edit, "true", "valid")
        kit.set_role(self.note_label, "problem" if text else "small")
        plan, n_rows, file = self._plan, self._n_rows, self._test_file
        plan_text = describe_plan(plan, n_rows, test_file=file, **self._table_facts)
        if self._program:
            n_test_rows = round(plan.test * n_rows)
            plan_text = describe_default_split(self._program_split, n_test_rows, test_file=file)
        self.note_label.setText(text or plan_text)


def _list_split_choices(*, has_program_split: bool) -> list[tuple[object, str]]:
    """Return the named splits and the custom one, after the program's split if available."""
    choices: list[tuple[object, str]] = []
    if has_program_split:
        choices.append((_PROGRAM_KEY, tr("Chosen by the program")))
    choices += [(each.key, translate(each.title)) for each in PROTOCOLS]
    return [*choices, (_CUSTOM_KEY, tr("Custom split"))]
