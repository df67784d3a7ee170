"""The content of the plot of columns, with its bars."""

from dataclasses import dataclass

from studio.questions.columns.answer import ColumnEffects, ColumnEffectsPlan


@dataclass(frozen=True)
class ColumnsData:
    """The content of the plot; unless ``is_current``, effects may be of an earlier ensemble."""

    plan: ColumnEffectsPlan
    effects: ColumnEffects | None
    is_current: bool

    @property
    def order(self) -> list[int]:
        """All column indices, by importance once it is known."""
        if self.effects is None:
            return list(range(len(self.plan.names)))
        order: list[int] = self.effects.order.tolist()
        return order

    @property
    def bars(self) -> list[int]:
        """The groups and other columns, as the answer to Why lists them.

        Before these are known, the first column of each of the table's.
        """
        if self.effects is None:
            first_columns: dict[str, int] = {}
            for column, source in enumerate(self.plan.sources):
                first_columns.setdefault(source, column)
            return list(first_columns.values())
        ranked: list[int] = self.effects.ranked_indices.tolist()
        shown = {column for bar in ranked for column in self.effects.list_members(bar)}
        return [*ranked, *(column for column in self.order if column not in shown)]

    def get_column(self, bar: int) -> int:
        """Return the column of a bar: of a group, the most important one."""
        return bar if self.effects is None else self.effects.list_members(bar)[0]
