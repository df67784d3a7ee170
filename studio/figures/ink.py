"""Inks: colours by meaning, resolved by the renderer's theme."""

from typing import NamedTuple

from studio.palette import LIGHT_SERIES


class Ink(NamedTuple):
    """A colour's role, and its opacity.

    Attributes:
        role: "series 0" to "series 7" (:mod:`studio.palette`), "deep series 0" for the same mixed
            with the background; "text", "muted", "border", "surface", "good", "bad"; "white" and
            "black" on coloured areas, such as a heat map.
        alpha: In [0, 1].
    """

    role: str
    alpha: float = 1.0

    def with_opacity(self, alpha: float) -> "Ink":
        """Return the same role with another opacity."""
        return Ink(self.role, alpha)


TEXT, MUTED, BORDER, SURFACE = Ink("text"), Ink("muted"), Ink("border"), Ink("surface")
BAD, WHITE, BLACK = Ink("bad"), Ink("white"), Ink("black")

HUES = len(LIGHT_SERIES)


def make_series_ink(index: int, alpha: float = 1.0) -> Ink:
    """Return the ink of a series; the ninth has the hue of the first, but darker."""
    cycle, index = divmod(index, HUES)
    return Ink(f"{'deep ' if cycle % 2 else ''}series {index}", alpha)
