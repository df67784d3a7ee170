"""What was typed and cannot be used: it stays, marked, until it can be or is taken back."""

from collections.abc import Callable

from studio.gui.pages.space.outline import RowKey


class FieldDrafts:
    """Texts of fields by row and field.

    Args:
        changed: Called with the row's key whenever something was kept or dropped.
    """

    def __init__(self, changed: Callable[[RowKey], object] = lambda _: None) -> None:
        self._texts: dict[RowKey, dict[str, str]] = {}
        self._changed = changed

    def text(self, key: RowKey, field: str) -> str | None:
        """Return what was typed for a field and cannot be used."""
        return self._texts.get(key, {}).get(field)

    def of(self, key: RowKey) -> tuple[tuple[str, str], ...]:
        """Return all that was typed for a row and cannot be used, as (field, text)."""
        return tuple(self._texts.get(key, {}).items())

    def first(self) -> tuple[RowKey, str, str] | None:
        """Return what has to be mended first, as (row, field, text); ``None`` if nothing has."""
        return next(
            (
                (key, field, text)
                for key, held in self._texts.items()
                for field, text in held.items()
            ),
            None,
        )

    def keep(self, key: RowKey, field: str, text: str) -> None:
        """Keep a text that cannot be used."""
        if self.text(key, field) != text:
            self._texts.setdefault(key, {})[field] = text
            self._changed(key)

    def put(self, key: RowKey, field: str, text: str | None) -> None:
        """Keep a text that cannot be used, or drop it (``None``)."""
        if text is None:
            self.drop(key, field)
        else:
            self.keep(key, field, text)

    def drop(self, key: RowKey, *fields: str) -> None:
        """Drop what was typed for some fields: they have a value now, or it was taken back."""
        held = self._texts.get(key, {})
        gone = [field for field in fields if held.pop(field, None) is not None]
        if not held:
            self._texts.pop(key, None)
        if gone:
            self._changed(key)

    def rename(self, old: RowKey, new: RowKey) -> None:
        """Follow a row that has another name now."""
        if old in self._texts and old != new:
            self._texts[new] = self._texts.pop(old)

    def clear(self) -> None:
        """Drop everything: another space is being edited."""
        self._texts.clear()
