"""What is wrong with the texts of a form's fields, which a draft does not take."""


class Complaints:
    """One sentence for each field whose text cannot be taken."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def take(self, field: str, sentence: str) -> bool:
        """Remember what is wrong with a field, or with "" that nothing is any more.

        Returns
        -------
        bool
            Whether :attr:`first` is another one now.
        """
        before = self.first
        self._found.pop(field, None)
        if sentence:
            self._found[field] = sentence
        return self.first != before

    @property
    def first(self) -> str:
        """What is wrong with the first of these fields, with its name; empty if none is."""
        return next((f"{name}: {why}" for name, why in self._found.items()), "")
