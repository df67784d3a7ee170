"""What was typed and cannot be used: it stays, marked, until it can be or is taken back."""

from collections.abc import Callable

from studio.gui.pages.space.outline import RowKey


class FieldDrafts:
    """Texts of fields by row and field.

    Args:
        changed: Called with the row's key whenever something was kept or dropped.
    """

    def __init__(self, changed: Callable[[RowKey], object] = lambda _: None) -> None:
        self._texts: dict[tuple[RowKey, str], str] = {}
        self._changed = changed

    def text(self, key: RowKey, field: str) -> str | None:
        """Return what was typed for a field and cannot be used."""
        return self._texts.get((key, field))

    def of(self, key: RowKey) -> tuple[tuple[str, str], ...]:
        """Return all that was typed for a row and cannot be used, as (field, text)."""
        return tuple((field, text) for (row, field), text in self._texts.items() if row == key)

    def first(self) -> tuple[RowKey, str, str] | None:
        """Return what has to be mended first, as (row, field, text); ``None`` if nothing has."""
        return next(((row, field, text) for (row, field), text in self._texts.items()), None)

    def put(self, key: RowKey, field: str, text: str | None) -> None:
        """Keep a text that cannot be used, or drop it (``None``)."""
        if text == self.text(key, field):
            return
        if text is None:
            del self._texts[key, field]
        else:
            self._texts[key, field] = text
        self._changed(key)

    def rename(self, old: RowKey, new: RowKey) -> None:
        """Follow a row that has another name now."""
        self._texts = {
            (new if row == old else row, field): text for (row, field), text in self._texts.items()
        }

    def clear(self) -> None:
        """Drop everything: another space is being edited."""
        self._texts.clear()
