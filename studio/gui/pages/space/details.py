"""The form beside the tree: the chosen hyperparameter or value; the space where none is chosen."""

from PySide6.QtWidgets import QWidget

from studio.errors import SpaceError
from studio.gui.base.theme import GRID
from studio.gui.pages.space import edits, texts
from studio.gui.pages.space.branches import LEARNERS
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.inputs import LateEdit, finish_typing
from studio.gui.pages.space.outline import OutlineRow, RowKey
from studio.gui.pages.space.parameter_form import ParameterForm
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field
from studio.language import ntr, tr, translate
from studio.learners.choice import ALGORITHM
from studio.space.choices import Categorical


class Details(QWidget):
    """Fields of what is chosen in the tree."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._shape: object = None
        self._key: RowKey | None = None
        self._several = False
        self.form: ParameterForm | None = None
        self.fields: dict[str, Field] = {}
        self._column = kit.column(on=self, spacing=GRID + GRID // 2)
        editor.changed.connect(self._show)
        editor.chosen_changed.connect(self._show)
        editor.drafts_changed.connect(lambda _: self._show())
        self._show()

    def _show(self) -> None:
        row, space = self._editor.chosen, self._editor.space
        if space is None:
            return
        together = len(self._editor.marked)
        key = None if row is None else row.key
        fresh = not self._column.count() or key != self._key
        if fresh or (together > 1) != self._several:
            finish_typing(self)
            if space != self._editor.space:
                # What was being typed was taken, which looked at its row again.
                self._editor.choose(key)
                return
        self._key, self._several = key, together > 1
        below = 0 if row is None or row.rule is None else len(self._editor.outline.below(row))
        shape = (space.summary, space.reference) if row is None else (_shape(row, together), below)
        if shape != self._shape or not self._column.count():
            self._shape = shape
            self._build(row, together)
        if together > 1:
            return
        if row is None:
            self._line("title").show_text(translate(space.title))
        elif row.rule is not None:
            if "name" in self.fields and row.value is not None:
                self._line("name").show_text(texts.value_text(row.value))
                draft = self._editor.drafts.text(row.key, "name")
                if draft is not None:
                    self._line("name").show_draft(draft)
        elif self.form is not None:
            self.form.show_row(row, space, fresh=fresh)

    def redraw(self) -> None:
        """Take the colours and the type size of the theme in force."""
        if self.form is not None and self.form.axis is not None:
            self.form.axis.updateGeometry()
            self.form.axis.update()

    # ---- building

    def _build(self, row: OutlineRow | None, together: int) -> None:
        kit.clear(self._column)
        self.fields, self.form = {}, None
        if together > 1:
            self._build_several(together)
        elif row is None:
            self._build_space()
        elif row.rule is not None:
            self._build_value(row)
        else:
            self.form = ParameterForm(self._editor, row)
            self.fields = self.form.fields
            self._column.addWidget(self.form)
        self._column.addStretch(1)

    def _build_several(self, together: int) -> None:
        title = ntr("{count} row selected", "{count} rows selected", together)
        self._column.addWidget(kit.label(title, "section"))
        words = tr(
            "Cut, copy, duplicate, remove and drag act on all of them. Select a single row to "
            "change its settings."
        )
        self._column.addWidget(kit.label(words, "small", wrap=True))

    def _build_space(self) -> None:
        self._column.addWidget(kit.label(tr("The space"), "section"))
        edit = LateEdit(
            lambda _: True,
            lambda text: self._editor.do(lambda space: edits.name_the_space(space, text)),
        )
        field = Field(tr("Title"), edit, tip=tr("What the Run page calls this space"))
        self.fields["title"] = field
        self._column.addWidget(field)
        space = self._editor.space
        assert space is not None
        after = translate(space.reference)
        if after and not space.reference.lower().startswith("ours"):
            after = tr("After {reference}.", reference=after)
        for text in (translate(space.summary), after):
            if text:
                self._column.addWidget(kit.label(text, "small", wrap=True))
        words = tr("Select a row of the tree to change it, or add one.")
        self._column.addWidget(kit.label(words, "small", wrap=True))

    def _build_value(self, row: OutlineRow) -> None:
        title = texts.rule_text(row.key.rule) if row.key.rule is not None else ""
        name = row.parameter.name
        self._column.addWidget(kit.ElidedLabel(title, "section"))
        single = row.value is not None
        if single:
            words = tr("A value of {name}.", name=name)
        else:
            words = tr("Several values, or a range, of {name}.", name=name)
        facts = LEARNERS.get(str(row.value)) if row.parameter.sets == ALGORITHM else None
        if facts is not None:
            words = tr("{title}, a learner. {words}", title=translate(facts.title), words=words)
        self._column.addWidget(kit.label(words, "small", wrap=True))
        if single and isinstance(row.parameter, Categorical):
            edit = LateEdit(
                lambda text: self._check_value(row, text),
                lambda text: self._editor.do(lambda space: edits.rename(space, row, text)),
                lambda text: self._editor.drafts.put(row.key, "name", text),
            )
            self.fields["name"] = Field(tr("Value"), edit, tip=tr("Renamed in all rules, too"))
            self._column.addWidget(self.fields["name"])
        below = ntr(
            "{count} hyperparameter active only here.",
            "{count} hyperparameters active only here.",
            len(self._editor.outline.below(row)),
        )
        self._column.addWidget(kit.label(below, "small"))
        add = kit.button(
            tr("Add a number here"),
            lambda: self._editor.add("float"),
            icon="add",
            tip=tr("A hyperparameter that is active only under this value (Insert: other kinds)"),
        )
        self._column.addLayout(kit.row(add, None))

    # ---- typing

    def _line(self, field: str) -> LateEdit:
        control = self.fields[field].control
        assert isinstance(control, LateEdit)
        return control

    def _check_value(self, row: OutlineRow, text: str) -> bool:
        space = self._editor.space
        if space is None:
            return False
        try:
            edits.rename(space, row, text)
        except SpaceError as error:
            self.fields["name"].complain(translate(str(error)))
            return False
        self.fields["name"].complain("")
        return True


def _shape(row: OutlineRow | None, together: int) -> object:
    """Return what decides which fields there are: a form is refilled rather than rebuilt."""
    if together > 1:
        return together
    if row is None or row.rule is not None:
        return None if row is None else row.key
    return type(row.parameter)
