"""What the tree's cells say, what can be typed into them, and what is wrong with them."""

from collections.abc import Mapping, Sequence

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.branches import ALGORITHM, learners
from studio.gui.pages.space.drafts import FieldDrafts
from studio.gui.pages.space.edits import Edit
from studio.gui.pages.space.outline import Outline, OutlineRow
from studio.gui.pages.space.texts import (
    SCALES,
    rules_sentence,
    short_value,
    value_text,
    values_text,
)
from studio.language import N_, tr, translate
from studio.learners.space_problems import all_problems
from studio.space.base import Parameter, SpaceProblem
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from studio.trial import Value

NAME, KIND, VALUES, SCALE, DEFAULT, EXAMPLE = range(6)
HEADERS = (
    N_("Name"),
    N_("Kind"),
    N_("Range or values"),
    N_("Scale"),
    N_("Default"),
    N_("Example"),
)
TIPS = (
    N_("Hyperparameters, and under a choice its values"),
    N_("Kind of values: number, choice, fixed value, …"),
    N_("The smallest and largest value, or the values to choose from"),
    N_("Linear, or logarithmic: equal factors are equally likely"),
    N_("Tried first, and used where nothing else is known"),
    N_("The value in the selected random example; empty where it is not active"),
)
_FIELDS = {
    NAME: ("name", "sets", "conditions"),
    VALUES: ("low", "high", "choices", "value", "values"),
    SCALE: ("log",),
    DEFAULT: ("default",),
}
_DRAFTED = {NAME: "name", VALUES: "values", DEFAULT: "default"}


class SpaceCells:
    """The cells of one space.

    Args:
        space: Whose problems are shown.
        outline: Its rows.
        drafts: What was typed and cannot be used.
        of_libraries: What libraries cannot take of the space.
    """

    def __init__(
        self,
        space: Space | None,
        outline: Outline,
        drafts: FieldDrafts | None = None,
        of_libraries: Sequence[SpaceProblem] = (),
    ) -> None:
        self._space = space
        self._outline = outline
        self._drafts = drafts or FieldDrafts()
        self._problems: dict[str, list[SpaceProblem]] = {}
        for problem in (*all_problems(space), *of_libraries) if space is not None else ():
            self._problems.setdefault(problem.parameter, []).append(problem)

    # ---- showing

    def text(self, row: OutlineRow, column: int, example: Mapping[str, Value] | None = None) -> str:
        """Return what a cell shows; ``example`` fills the last column."""
        parameter = row.parameter
        if column == NAME:
            label = self._outline.label(row)
            also = tr("also only if {rules}", rules=row.also) if row.also else ""
            return f"{label}   {also}" if also else label
        if row.rule is not None:
            return ""
        if column == EXAMPLE:
            shown = example is not None and parameter.name in example
            return short_value(example[parameter.name]) if example and shown else ""
        draft = self._drafts.text(row.key, _DRAFTED.get(column, ""))
        return draft if draft is not None else _field_text(parameter, column)

    def caption(self, row: OutlineRow) -> str:
        """Return what a value of the choice of algorithm is called; empty for other rows."""
        if row.rule is None:
            return ""
        facts = learners().get(str(row.value)) if row.parameter.sets == ALGORITHM else None
        return translate(facts.title) if facts is not None else ""

    def tip(self, row: OutlineRow, column: int) -> str:
        """Return what is wrong with a cell, and what its hyperparameter is; empty: no more."""
        lines = [translate(problem.message) for problem in self._found(row, column)]
        parameter = row.parameter
        lines += [
            edits.unused(parameter, field, text, row.value)
            for field, text in self._drafts.of(row.key)
            if field in _FIELDS.get(column, ())
        ]
        if column == NAME and row.rule is None:
            lines.append(f"{parameter.name}: {translate(parameter.describe())}.")
            if parameter.note:
                lines.append(parameter.note)
            if parameter.conditions:
                rules = rules_sentence(parameter.conditions)
                lines.append(tr("Active only if {rules}.", rules=rules))
            if parameter.sets != parameter.name:
                lines.append(tr("The learner reads it as {name}.", name=parameter.sets))
        return "\n".join(lines)

    # ---- problems

    def problems_of(self, row: OutlineRow) -> list[SpaceProblem]:
        """Return what is wrong with a row's hyperparameter, or worth knowing."""
        return [] if row.rule is not None else self._problems.get(row.parameter.name, [])

    def has_errors(self, row: OutlineRow) -> bool:
        """Whether a row's hyperparameter has to be mended."""
        wrong = any(problem.severity == "error" for problem in self.problems_of(row))
        return wrong or bool(self.drafts_of(row))

    def is_wrong(self, row: OutlineRow, column: int) -> bool:
        """Whether what a cell shows has to be mended."""
        if any(problem.severity == "error" for problem in self._found(row, column)):
            return True
        fields = _FIELDS.get(column, ())
        return any(field in fields for field, _ in self._drafts.of(row.key))

    def drafts_of(self, row: OutlineRow) -> tuple[tuple[str, str], ...]:
        """Return what was typed for a row and cannot be used, as (field, text)."""
        return self._drafts.of(row.key)

    def _found(self, row: OutlineRow, column: int) -> list[SpaceProblem]:
        fields = _FIELDS.get(column, ())
        return [problem for problem in self.problems_of(row) if problem.field in fields]

    # ---- editing

    def is_editable(self, row: OutlineRow, column: int) -> bool:
        """Whether a cell can be edited in place."""
        parameter = row.parameter
        if row.rule is not None:
            single = row.value is not None and isinstance(parameter, Categorical)
            return column == NAME and single
        return {
            VALUES: not isinstance(parameter, Boolean),
            SCALE: isinstance(parameter, Float | Integer),
            DEFAULT: not isinstance(parameter, Constant),
            EXAMPLE: False,
        }.get(column, True)

    def to_edit(self, row: OutlineRow, column: int) -> str:
        """Return the text that a cell's editor begins with."""
        parameter = row.parameter
        if column == KIND:
            return parameter.type
        if column == SCALE and isinstance(parameter, Float | Integer):
            return SCALES[parameter.log]
        if column == DEFAULT and isinstance(parameter, Boolean):
            return value_text(parameter.default)
        if column != NAME:
            return self.text(row, column)
        draft = self._drafts.text(row.key, "name")
        if draft is not None:
            return draft
        own = parameter.name if row.rule is None else ""
        return own if row.value is None else value_text(row.value)

    def choices(self, row: OutlineRow, column: int) -> list[tuple[str, str]]:
        """Return what a cell is chosen among, as (text to set, words); empty: it is typed."""
        parameter = row.parameter
        if column == KIND:
            return [(kind, translate(words)) for kind, words in edits.KINDS.items()]
        if column == SCALE:
            return [(word, tr(word)) for word in SCALES.values()]
        if column == DEFAULT and isinstance(parameter, Categorical | Boolean):
            return [(value_text(v), short_value(v)) for v in parameter.choices]
        return []

    def complaint(self, row: OutlineRow, column: int, text: str) -> str:
        """Return why a text cannot be a cell's value; empty if it can."""
        field = _DRAFTED.get(column)
        try:
            if column == NAME and self._space is not None:
                edits.rename(self._space, row, text)
            elif field is not None and row.rule is None:
                edits.parse(row.parameter, field, text)
        except SpaceError as error:
            return translate(str(error))
        return ""


def edit_cell(space: Space, row: OutlineRow, column: int, text: str) -> Edit:
    """Take what was typed or chosen for a cell.

    Raises:
        SpaceError: If it cannot be read, or a name is taken.
    """
    if column == NAME:
        return edits.rename(space, row, text)
    if column == KIND:
        return edits.set_kind(space, row, text)
    if column == SCALE:
        return edits.set_values(space, row, log=text == SCALES[True])
    return edits.set_text(space, row, _DRAFTED[column], text)


def drafted(column: int) -> str:
    """Return the field whose unreadable text a cell keeps; empty: it keeps none."""
    return _DRAFTED.get(column, "")


def _field_text(parameter: Parameter, column: int) -> str:
    if column == SCALE:
        return tr(SCALES[parameter.log]) if isinstance(parameter, Float | Integer) else ""
    if column == DEFAULT:
        return "" if isinstance(parameter, Constant) else _readable(parameter.first())
    return translate(parameter.title) if column == KIND else values_text(parameter)


def _readable(value: Value) -> str:
    return short_value(value) if isinstance(value, bool) else value_text(value)
