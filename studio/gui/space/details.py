"""The form beside the tree: every field of the chosen row, with what is wrong right under it."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from studio.errors import SpaceError
from studio.gui import kit
from studio.gui.fields import Choice, Field
from studio.gui.space import edits, texts
from studio.gui.space.branches import ALGORITHM, learners
from studio.gui.space.editor import Editor
from studio.gui.space.inputs import LateEdit, finish_typing
from studio.gui.space.outline import Row
from studio.gui.space.rules_form import RulesForm
from studio.gui.theme import GRID
from studio.gui.wording import count
from studio.space.base import Parameter
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.space.space import Space

_SCALES: list[tuple[object, str]] = [(False, "linear"), (True, "log")]
_TITLES = {
    "name": ("Name", "Unique in the space; trials are listed under it"),
    "low": ("Smallest value", "The lower end of the range; it can be reached"),
    "high": ("Largest value", "The upper end of the range; it can be reached"),
    "default": ("Default", "Tried first, and used where nothing else is known"),
    "choices": ("Values", "What is chosen among, with commas between"),
    "value": ("Value", "Passed on as it is, never searched"),
    "sets": (
        "What it sets",
        "The learner's own name of it, such as rbf-svm.C; “algorithm” chooses the learner",
    ),
    "note": ("Remark", "Shown as a tooltip; changes nothing"),
}


class Details(QWidget):
    """Fields of the chosen hyperparameter or value; of the space where none is chosen."""

    def __init__(self, editor: Editor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._shape: object = None
        self._row: Row | None = None
        self.fields: dict[str, Field] = {}
        self.rules: RulesForm | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID + GRID // 2)
        editor.changed.connect(self._show)
        editor.chosen_changed.connect(self._show)
        self._show()

    # ---- building

    def _show(self) -> None:
        row, space = self._editor.chosen, self._editor.space
        if space is None:
            return
        shape = None if row is None else (row.key, type(row.parameter))
        if shape != self._shape or not self._column.count():
            finish_typing(self)
            if space != self._editor.space:
                # What was being typed was taken, which looked at its row again.
                self._editor.choose(None if row is None else row.key)
                return
            self._shape = shape
            self._row = row
            kit.clear(self._column)
            self.fields, self.rules = {}, None
            if row is None:
                self._build_space()
            elif row.rule is not None:
                self._build_value(row)
            else:
                self._build_parameter(row.parameter)
            self._column.addStretch(1)
        self._row = row
        if row is None:
            self._line("title").show_text(space.title)
        elif row.rule is not None:
            self._fill_value(row)
        else:
            self._fill(row.parameter, space)

    def _build_space(self) -> None:
        self._column.addWidget(kit.label("The space", "section"))
        edit = LateEdit(
            lambda _: True,
            lambda text: self._editor.do(lambda space: edits.name_the_space(space, text)),
        )
        field = Field("Title", edit, tip="What the Run page calls this space")
        self.fields["title"] = field
        self._column.addWidget(field)
        space = self._editor.space
        assert space is not None
        for text in (space.summary, f"After {space.reference}." if space.reference else ""):
            if text:
                self._column.addWidget(kit.label(text, "small", wrap=True))
        words = "Choose a row of the tree to change it, or add one."
        self._column.addWidget(kit.label(words, "small", wrap=True))

    def _build_value(self, row: Row) -> None:
        title = texts.rule_text(row.key.rule) if row.key.rule is not None else ""
        name = row.parameter.name
        self._column.addWidget(kit.ElidedLabel(title, "section"))
        single = row.value is not None
        words = f"A value of {name}." if single else f"Several values, or a range, of {name}."
        facts = learners().get(str(row.value)) if row.parameter.sets == ALGORITHM else None
        if facts is not None:
            words = f"{facts.title}, a learner. {words}"
        self._column.addWidget(kit.label(words, "small", wrap=True))
        if single and isinstance(row.parameter, Categorical):
            edit = LateEdit(self._check_value, self._rename)
            self.fields["name"] = Field("Value", edit, tip="Renamed in all rules, too")
            self._column.addWidget(self.fields["name"])
        below = count(len(self._editor.outline.below(row)), "hyperparameter")
        self._column.addWidget(kit.label(f"{below} active only here.", "small"))
        add = kit.button(
            "Add a number here",
            lambda: self._editor.add("float"),
            icon="add",
            tip="A hyperparameter that is active only where this value is chosen",
        )
        self._column.addLayout(kit.row(add, None))

    def _build_parameter(self, parameter: Parameter) -> None:
        kinds: list[tuple[object, str]] = [*edits.KINDS.items()]
        kind = Choice(kinds, lambda each: self._do(edits.set_kind, str(each)))
        kind.setMinimumContentsLength(4)
        self.fields["kind"] = Field("Kind", kind, tip="What values there are")
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID + GRID // 2)
        grid.setVerticalSpacing(GRID + GRID // 2)
        cells: list[tuple[QWidget, int]] = [(self._text("name"), 1), (self.fields["kind"], 1)]
        if isinstance(parameter, Float | Integer):
            scale = Choice(_SCALES, lambda log: self._set(log=log))
            scale.setMinimumContentsLength(4)
            self.fields["log"] = Field("Scale", scale, tip="On a log scale, factors count alike")
            cells += [(self._text("low"), 1), (self._text("high"), 1)]
            cells += [(self.fields["log"], 1), (self._text("default"), 1)]
        elif isinstance(parameter, Constant):
            cells.append((self._text("value"), 2))
        elif isinstance(parameter, Categorical | Boolean):
            if isinstance(parameter, Categorical):
                cells.append((self._text("choices"), 2))
            default = Choice([], lambda value: self._set(default=value))
            self.fields["default"] = Field("Default", default, tip=_TITLES["default"][1])
            cells.append((self.fields["default"], 2))
        self.rules = RulesForm(lambda rules: self._do(edits.set_rules, rules))
        active = QWidget()
        column = QVBoxLayout(active)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(kit.label("Active when (conditions)"))
        column.addWidget(self.rules)
        place = 0
        for widget, wide in cells:
            if wide == 2 and place % 2:
                place += 1
            align = Qt.AlignmentFlag.AlignTop
            grid.addWidget(widget, place // 2, place % 2, 1, wide, align)
            place += wide
        for side in (0, 1):
            grid.setColumnStretch(side, 1)
        self._column.addLayout(grid)
        self._column.addWidget(active)
        self._column.addWidget(self._text("sets"))
        self._column.addWidget(self._text("note"))

    def _text(self, field: str) -> Field:
        title, tip = _TITLES[field]
        edit = LateEdit(lambda text: self._check(field, text), lambda text: self._take(field, text))
        edit.setMinimumWidth(64)
        made = Field(title, edit, tip=tip)
        self.fields[field] = made
        return made

    # ---- filling

    def _line(self, field: str) -> LateEdit:
        control = self.fields[field].control
        assert isinstance(control, LateEdit)
        return control

    def _choice(self, field: str) -> Choice:
        control = self.fields[field].control
        assert isinstance(control, Choice)
        return control

    def _fill_value(self, row: Row) -> None:
        if "name" in self.fields and row.value is not None:
            self._line("name").show_text(texts.value_text(row.value))

    def _fill(self, parameter: Parameter, space: Space) -> None:
        self._choice("kind").show_value(parameter.type)
        shown = {"name": parameter.name, "sets": parameter.sets, "note": parameter.note}
        if isinstance(parameter, Float | Integer):
            ends = {"low": parameter.low, "high": parameter.high, "default": parameter.default}
            shown |= {field: texts.number_text(number) for field, number in ends.items()}
            self._choice("log").show_value(parameter.log)
        elif isinstance(parameter, Constant):
            shown["value"] = texts.value_text(parameter.value)
        elif isinstance(parameter, Categorical | Boolean):
            if isinstance(parameter, Categorical):
                shown["choices"] = texts.values_text(parameter)
            words: list[tuple[object, str]] = [(v, texts.short_value(v)) for v in parameter.choices]
            self._choice("default").set_items(words)
            self._choice("default").show_value(parameter.first())
        for field, text in shown.items():
            self._line(field).show_text(text)
        for field in self.fields:
            self._show_problem(space, parameter.name, field)
        if self.rules is not None:
            error, note = edits.problems_of(space, parameter.name, "conditions")
            self.rules.show_rules(space, parameter, error or note)

    def _show_problem(self, space: Space, name: str, field: str) -> bool:
        """Show what is wrong with a field in a space, or else what is worth knowing."""
        error, note = edits.problems_of(space, name, field)
        if error:
            self.fields[field].complain(error)
        else:
            self.fields[field].explain(note)
        return not error

    # ---- typing

    def _check(self, field: str, text: str) -> bool:
        """Show at every key what would be wrong; say whether the text can be taken at all."""
        row, space = self._row, self._editor.space
        if row is None or space is None:
            return False
        try:
            edit = (
                edits.rename(space, row, text)
                if field == "name"
                else edits.set_text(space, row, field, text)
            )
        except SpaceError as error:
            self.fields[field].complain(str(error))
            return False
        name = edit.look_at.name if edit.look_at is not None else row.parameter.name
        self._show_problem(edit.space, name, field)
        return True

    def _check_value(self, text: str) -> bool:
        row, space = self._row, self._editor.space
        if row is None or space is None:
            return False
        try:
            edits.rename(space, row, text)
        except SpaceError as error:
            self.fields["name"].complain(str(error))
            return False
        self.fields["name"].complain("")
        return True

    def _take(self, field: str, text: str) -> None:
        if field == "name":
            self._rename(text)
        else:
            self._do(edits.set_text, field, text)

    def _rename(self, text: str) -> None:
        self._do(edits.rename, text)

    def _set(self, **values: object) -> None:
        self._do(lambda space, row: edits.set_values(space, row, **values))

    def _do(self, edit: Callable[..., edits.Edit], *arguments: object) -> None:
        row = self._row
        if row is not None:
            self._editor.do(lambda space: edit(space, row, *arguments))
