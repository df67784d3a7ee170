"""One column looked at closely: what is in it, how the target goes with it, what can be done."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from studio.analysis.answers.column_facts import ColumnFacts
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import is_kept
from studio.gui.pages.data.column_choices import in_short
from studio.gui.pages.data.column_panel_model import facts_lines, figure, frequent_lines, heading
from studio.gui.pages.data.findings import FindingList
from studio.gui.pages.data.notes import Note, sentence
from studio.gui.pages.data.reading_fields import ReadingFields
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.helper.preview import Preview, PreviewColumn
from studio.language import tr, translate

if TYPE_CHECKING:
    from studio.gui.plots.base.still import StillFigure


class EffectField(Field):
    """Any way, never down, or never up; with several classes only why there is no choice."""

    effect_changed = Signal(str, object)
    """The name of the column, and "up", "down" or ``None``."""

    def __init__(self) -> None:
        self._column = ""
        self.effect = Choice([], lambda way: self.effect_changed.emit(self._column, way))
        super().__init__(
            tr("Effect on the answer"),
            self.effect,
            tip=tr(
                "If you know the direction beforehand: a higher income never lowers the "
                "credit limit"
            ),
        )
        self.effect.set_items(
            [
                (None, tr("Any")),
                ("up", tr("Never lowers it")),
                ("down", tr("Never raises it")),
            ]
        )

    def show_column(self, column: PreviewColumn, draft: DataDraft) -> None:
        """Show the choice for a column, if models learn from its order."""
        self._column = column.name
        several = draft.resolved_task == "multiclass"
        way = draft.constraints.get(column.name)
        self.setVisible(column.role == "feature" and column.kind in {"number", "date"})
        self.effect.setEnabled(not several or way is not None)
        self.effect.show_value(way)
        self.explain(
            tr("With more than two classes there is no single answer that could rise or fall.")
            if several
            else effect_words(column, draft, chosen=way is not None)
        )


def effect_words(column: PreviewColumn, draft: DataDraft, *, chosen: bool) -> str:
    """Say what the answer is, and once something is chosen what follows from it."""
    target = draft.resolved_target or ""
    name = rarer_label(draft.preview)
    if draft.resolved_task == "regression":
        words = [tr("The answer is the predicted {target}.", target=target)]
    elif name:
        words = [tr("The answer is the probability of “{name}”, the rarer class.", name=name)]
    else:
        words = [tr("The answer is the probability of the rarer class of {target}.", target=target)]
    if chosen:
        words.append(
            tr(
                "Only trees, forests and boosting support this constraint; other "
                "models are left out."
            )
        )
    if chosen and column.kind == "date":
        words.append(tr("Models see the day and the year, not month, weekday or hour."))
    return " ".join(words)


def rarer_label(preview: Preview | None) -> str:
    """Return the rarer of two classes; empty where that is not seen in the preview."""
    columns = () if preview is None else preview.columns
    found = next((each.distribution for each in columns if each.role == "target"), None)
    if found is None or len(found.labels) != 2 or found.rest or len(set(found.counts)) < 2:
        return ""
    return found.labels[found.counts.index(min(found.counts))]


_HEIGHT = 190


class ColumnPanel(QFrame):
    """What is known of a column; it asks the helper when another one is chosen.

    Args:
        model: Whose table it is.
    """

    closed = Signal()

    def __init__(self, model: DataModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = model
        self._column: PreviewColumn | None = None
        self._facts: ColumnFacts | None = None
        self._chart: StillFigure | None = None
        self.title = kit.ElidedLabel("", "section")
        self._kind = kit.label("", "muted", wrap=True)
        self._reason = kit.label("", "small", wrap=True)
        close = kit.button(
            "",
            self.closed.emit,
            kind="quiet",
            icon="cross",
            name=tr("Close the column"),
            tip=tr("Show target, split and reading again"),
        )
        self.reading = ReadingFields()
        self.reading.reading_changed.connect(model.set_reading)
        self.effect = EffectField()
        self.effect.effect_changed.connect(model.set_effect)
        model.changed.connect(self._show_choices)
        self.findings = FindingList(model, narrow=True)
        self._state = kit.label("", "muted", wrap=True)
        self._lines = _Lines()
        self._heading = kit.label("", "section", wrap=True)
        self._frequent_title = kit.label(tr("Most frequent values"), "section", wrap=True)
        self._frequent = _Lines()
        head = kit.row(self.title, close)
        head.setStretch(0, 1)
        self._inside = kit.column(
            head,
            self._kind,
            self._reason,
            self.reading,
            self.effect,
            self.findings,
            self._state,
            self._lines,
            self._heading,
            self._frequent_title,
            self._frequent,
            on=self,
            spacing=GRID + GRID // 2,
            margin=2 * GRID,
        )
        theme.notifier().changed.connect(self._draw)

    @property
    def column(self) -> str:
        """The name of the column that is shown; empty for none."""
        return "" if self._column is None else self._column.name

    def show_column(self, column: PreviewColumn | None) -> None:
        """Show a column; what was known of another one is gone."""
        other = column is None or self._column is None or column.name != self._column.name
        self._column = column
        if other:
            self._facts = None
        if column is None:
            return
        self.title.setText(column.name)
        self._kind.setText(in_short(column).removeprefix("⚠ "))
        self._reason.setText(translate(column.reason))
        self._show_choices()
        self._say(tr("Analysing the column…") if self._facts is None else "")
        self._fill()
        self._model.ask_facts(column, self._took, lambda why: self._say(translate(why)))

    def _show_choices(self) -> None:
        """Show how the column is read and what was found; choices may be undone elsewhere."""
        column, draft = self._column, self._model.draft
        if column is None:
            return
        self.reading.show_column(column, draft)
        self.effect.show_column(column, draft)
        self.findings.show_notes(
            [
                Note(
                    f"⚠ {sentence(column, each)}",
                    each,
                    is_kept(draft, each),
                    column.role == "ignore",
                )
                for each in column.findings
            ]
        )

    def _took(self, facts: ColumnFacts) -> None:
        if self._column is None or facts.name != self._column.name:
            return
        self._facts = facts
        self._say("")
        self._fill()

    def _say(self, text: str) -> None:
        kit.show_text(self._state, text)

    def _fill(self) -> None:
        facts, target = self._facts, self._model.draft.resolved_target or ""
        frequent = [] if facts is None else frequent_lines(facts)
        self._lines.show_lines([] if facts is None else facts_lines(facts))
        self._heading.setVisible(facts is not None)
        self._heading.setText("" if facts is None else heading(facts, target))
        self._frequent_title.setVisible(bool(frequent))
        self._frequent.show_lines(frequent)
        self._draw()

    def _draw(self) -> None:
        target = self._model.draft.resolved_target or ""
        drawn = None if self._facts is None else figure(self._facts, target)
        if drawn is not None and self._chart is None:
            # The library of plots is only loaded once somebody looks at a column.
            from studio.gui.plots.base.still import StillFigure

            self._chart = StillFigure(_HEIGHT)
            self._inside.insertWidget(self._inside.indexOf(self._heading) + 1, self._chart)
        if self._chart is not None:
            self._chart.setVisible(drawn is not None)
            if drawn is not None:
                self._chart.show_figure(drawn, self._heading.text())


class _Lines(QWidget):
    """Names at the left and values at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(0, 1)

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Show other lines, or none."""
        kit.clear(self._grid)
        for row, (name, value) in enumerate(lines):
            label = kit.ElidedLabel(name, "muted")
            found: QLabel = kit.label(value, selectable=True)
            found.setAlignment(Qt.AlignmentFlag.AlignRight)
            found.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(found, row, 1)
        self.setVisible(bool(lines))
