"""The fields of one hyperparameter, each with what is wrong with it right under it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from studio.errors import SpaceError
from studio.gui.base.theme import GRID
from studio.gui.pages.space import edits, texts
from studio.gui.pages.space.chips import Chips
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.inputs import LateEdit
from studio.gui.pages.space.outline import OutlineRow
from studio.gui.pages.space.range_axis import RangeAxisView
from studio.gui.pages.space.rules_form import RulesForm
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.language import N_, tr, translate
from studio.space.base import Parameter, SpaceProblem
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.space.space import Space

_TITLES = {
    "name": (N_("Name"), N_("Unique in the space; trials are listed under it")),
    "low": (N_("Smallest"), N_("The lower end of the range, itself included")),
    "high": (N_("Largest"), N_("The upper end of the range, itself included")),
    "default": (N_("Default"), N_("Tried first, and used where nothing else is known")),
    "value": (N_("Value"), N_("Passed on as it is, never searched")),
    "sets": (
        N_("Learner's setting"),
        N_("The learner's own name for it, such as rbf-svm.C; “algorithm” chooses the learner"),
    ),
    "note": (N_("Remark"), N_("Shown as a tooltip; changes nothing")),
}
_ALONE = {"low", "high", "log", "default", "choices", "value", "note", "kind"}
_AXIS_LINKS = {
    False: N_("Draw a linear axis"),
    True: N_("Draw a log axis"),
}


class ParameterForm(QWidget):
    """All fields of a hyperparameter of one kind.

    Args:
        editor: Makes the edits.
        row: The hyperparameter to begin with; its kind decides what fields there are.
    """

    def __init__(self, editor: Editor, row: OutlineRow) -> None:
        super().__init__()
        self._editor = editor
        self._row = row
        self.fields: dict[str, Field] = {}
        self.axis: RangeAxisView | None = None
        self.chips: Chips | None = None
        self.rules = RulesForm(lambda rules: self._do(edits.set_rules, rules), self._keep)
        self._column = kit.column(on=self)
        self._build(row.parameter)

    # ---- building

    def _build(self, parameter: Parameter) -> None:
        kinds: list[tuple[object, str]] = [
            (k, translate(words)) for k, words in edits.KINDS.items()
        ]
        kind = Choice(kinds, lambda kind: self._do(edits.set_kind, kind))
        self.fields["kind"] = Field(
            tr("Kind"), kind, tip=tr("Kind of values: number, choice, fixed value, …")
        )
        names = QGridLayout()
        names.setSpacing(GRID)
        names.addWidget(self._text("name"), 0, 0)
        names.addWidget(self.fields["kind"], 0, 1)
        names.setColumnStretch(0, 1)
        names.setColumnStretch(1, 1)
        self._column.addLayout(names)
        if isinstance(parameter, Float | Integer):
            self._build_range()
        elif isinstance(parameter, Constant):
            self._column.addWidget(self._text("value"))
        elif isinstance(parameter, Categorical):
            self._build_choices()
        elif isinstance(parameter, Boolean):
            words: list[tuple[object, str]] = [(v, texts.short_value(v)) for v in (False, True)]
            box = Choice(words, lambda value: self._set(default=value))
            title, tip = _TITLES["default"]
            self.fields["default"] = Field(tr(title), box, tip=tr(tip))
            self._column.addWidget(self.fields["default"])
        self._column.addWidget(_headed(tr("Active only if"), self.rules))
        self._column.addWidget(self._text("sets"))
        self._column.addWidget(self._text("note"))

    def _build_range(self) -> None:
        scales: list[tuple[object, str]] = [(k, tr(word)) for k, word in texts.SCALES.items()]
        tip = tr("Linear, or logarithmic: equal factors are equally likely")
        box = Choice(scales, lambda log: self._set(log=log))
        self.fields["log"] = Field(tr("Scale"), box, tip=tip)
        grid = QGridLayout()
        grid.setSpacing(GRID)
        for place, field in enumerate(("low", "default", "high")):
            grid.addWidget(self._text(field), 0, place, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(place, 1)
            # A sentence needs the whole width, not a third of it.
            grid.addWidget(self.fields[field].note, place + 1, 0, 1, 3)
        grid.setVerticalSpacing(GRID // 2)
        self._column.addLayout(grid)
        self.axis = RangeAxisView(
            lambda low, high, default: self._set(low=low, high=high, default=default)
        )
        self.axis_link = kit.button(
            "",
            self._turn_axis,
            kind="link",
            tip=tr("The shaded shape is how likely values are before any trial, on either axis"),
        )
        below = kit.row(self.fields["log"], (self.axis_link, 0, Qt.AlignmentFlag.AlignBottom), None)
        self._column.addWidget(self.axis)
        self._column.addLayout(below)

    def _build_choices(self) -> None:
        def complain(words: str) -> None:
            self.fields["choices"].complain(words)

        self.chips = Chips(self._make, complain, self._keep)
        tip = tr("The values to choose from; the ticked one is the default")
        self.fields["choices"] = Field(tr("Values"), self.chips, tip=tip)
        self.chips.setToolTip("")
        self._column.addWidget(self.fields["choices"])

    def _text(self, field: str) -> Field:
        title, tip = _TITLES[field]
        edit = LateEdit(
            lambda text: self._check(field, text),
            lambda text: self._take(field, text),
            lambda text: self._keep(field, text),
        )
        edit.setMinimumWidth(64)
        made = Field(tr(title), edit, tip=tr(tip))
        self.fields[field] = made
        return made

    def _turn_axis(self) -> None:
        assert self.axis is not None
        if self.axis.axis is not None:
            self.axis.draw_log(not self.axis.axis.drawn_log)
            self._word_axis()

    def _word_axis(self) -> None:
        axis = None if self.axis is None else self.axis.axis
        self.axis_link.setVisible(axis is not None and axis.low > 0)
        if axis is not None:
            self.axis_link.setText(tr(_AXIS_LINKS[not axis.drawn_log]))
            self.axis_link.setAccessibleName(self.axis_link.text())

    # ---- filling

    def _line(self, field: str) -> LateEdit:
        control = self.fields[field].control
        assert isinstance(control, LateEdit)
        return control

    def _choice(self, field: str) -> Choice:
        control = self.fields[field].control
        assert isinstance(control, Choice)
        return control

    def show_row(self, row: OutlineRow, space: Space, *, fresh: bool = True) -> None:
        """Show a hyperparameter of the same kind as it is now.

        Args:
            row, space: The hyperparameter and its space.
            fresh: Whether it is another one than before; else what is being typed is left alone.
        """
        self._row = row
        parameter = row.parameter
        self._choice("kind").show_value(parameter.type)
        shown = {"name": parameter.name, "sets": parameter.sets, "note": parameter.note}
        if isinstance(parameter, Float | Integer):
            ends = {"low": parameter.low, "high": parameter.high, "default": parameter.default}
            shown |= {field: texts.number_text(number) for field, number in ends.items()}
            self._choice("log").show_value(parameter.log)
            assert self.axis is not None
            if fresh:
                self.axis.begin(parameter)
            else:
                self.axis.show_range(parameter)
            self._word_axis()
        elif isinstance(parameter, Constant):
            shown["value"] = texts.value_text(parameter.value)
        elif isinstance(parameter, Boolean):
            self._choice("default").show_value(parameter.default)
        elif isinstance(parameter, Categorical):
            assert self.chips is not None
            self.chips.show_choice(parameter, self._editor.drafts.of(row.key))
        for field, text in shown.items():
            line = self._line(field)
            if fresh:
                line.begin(text)
            else:
                line.show_text(text)
        for field in self.fields:
            self._show_problem(space, parameter, field)
        for field, text in self._editor.drafts.of(row.key):
            if field in shown:
                self._line(field).show_draft(text)
        of_libraries = self._of_libraries(parameter)
        error, note = edits.problems_of(space, parameter, "conditions", of_libraries=of_libraries)
        self.rules.show_rules(space, parameter, error or note, self._editor.drafts.of(row.key))

    def _show_problem(self, space: Space, parameter: Parameter, field: str) -> bool:
        """Show what is wrong with a field in a space, or else what is worth knowing."""
        fields = ("choices", "default") if field == "choices" else (field,)
        # What a hyperparameter knows by itself need not ask a huge space at every key.
        alone = field in _ALONE
        error, note = edits.problems_of(
            space, parameter, *fields, alone=alone, of_libraries=self._of_libraries(parameter)
        )
        if error:
            self.fields[field].complain(error)
        else:
            self.fields[field].explain(note)
        return not error

    def _of_libraries(self, parameter: Parameter) -> Sequence[SpaceProblem]:
        """Return what libraries said of a hyperparameter, unless it is being changed."""
        space = self._editor.space
        same = space is not None and parameter in space.parameters
        return self._editor.of_libraries if same else ()

    # ---- typing

    def _check(self, field: str, text: str) -> bool:
        """Show at every key what would be wrong; say whether the text can be taken at all."""
        row, space = self._row, self._editor.space
        if space is None:
            return False
        try:
            edit = (
                edits.rename(space, row, text)
                if field == "name"
                else edits.set_text(space, row, field, text)
            )
        except SpaceError as error:
            used = edits.value_in_use(row.parameter, field)
            reason = translate(str(error))
            words = tr("{reason} Until then {value} is used.", reason=reason, value=used)
            self.fields[field].complain(words)
            return False
        name = edit.look_at.name if edit.look_at is not None else row.parameter.name
        self._show_problem(edit.space, edit.space.parameter(name), field)
        return True

    def _take(self, field: str, text: str) -> None:
        if field == "name":
            self._do(edits.rename, text)
        else:
            self._do(edits.set_text, field, text)

    def _keep(self, field: str, text: str | None) -> None:
        self._editor.drafts.put(self._row.key, field, text)

    def _set(self, **values: object) -> None:
        fields = [field for field in values if field in self.fields]
        self._editor.drafts.drop(self._row.key, *fields)
        self._do(lambda space, row: edits.set_values(space, row, **_whole(row, values)))

    def _make(self, edit: Callable[[Space, OutlineRow], edits.Edit]) -> bool:
        row = self._row
        return self._editor.do(lambda space: edit(space, row))

    def _do(self, edit: Callable[..., edits.Edit], *arguments: object) -> None:
        row = self._row
        self._editor.do(lambda space: edit(space, row, *arguments))


def _whole(row: OutlineRow, values: dict[str, object]) -> dict[str, object]:
    """Return the numbers of a whole-number range as whole numbers."""
    if not isinstance(row.parameter, Integer):
        return values
    return {f: round(v) if isinstance(v, float) else v for f, v in values.items()}


def _headed(title: str, inside: QWidget) -> QWidget:
    made = QWidget()
    kit.column(kit.label(title), inside, on=made, spacing=4)
    return made
