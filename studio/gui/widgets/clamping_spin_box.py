"""A spin box that takes any number, and shows the maximum for a larger one."""

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox

_MAX_DIGITS = 18  # more than of any maximum


class ClampingSpinBox(QSpinBox):
    """A spin box for integers in which a number above the maximum becomes the maximum.

    Qt's rejects the digit that would exceed it, so that 99999 of 300 rows silently becomes 99.
    """

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Also accept numbers above the maximum."""
        if self._parse(text) > self.maximum():
            return QValidator.State.Acceptable, text, position
        return super().validate(text, position)

    def valueFromText(self, text: str) -> int:
        number = self._parse(text)
        return self.maximum() if number > self.maximum() else super().valueFromText(text)

    def _parse(self, text: str) -> int:
        """Return the number of a text of digits and separators; −1 for any other."""
        number = text.removeprefix(self.prefix()).removesuffix(self.suffix())
        digits = "".join(number.replace(self.locale().groupSeparator(), "").split())
        return int(digits[:_MAX_DIGITS]) if digits.isdecimal() else -1
