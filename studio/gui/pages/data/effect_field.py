"""Which way the answer may go with a column: a choice, and in words what it means."""

from PySide6.QtCore import Signal

from studio.gui.drafts.data_draft import DataDraft
from studio.gui.widgets.fields import Choice, Field
from studio.helper.preview import Preview, PreviewColumn
from studio.language import tr


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
