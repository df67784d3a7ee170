"""Inks: colours by meaning, resolved by the renderer's theme."""

from typing import NamedTuple

from studio.palette import LIGHT_RUNS, LIGHT_SERIES


class Ink(NamedTuple):
    """A colour's role, and its opacity.

    Attributes:
        role: "series 0" to "series 7" (:mod:`studio.palette`), "deep series 0" for the same mixed
            with the background; "run 0" to "run 4", and "deep run 0" likewise; "text", "muted",
            "border", "surface", "good", "bad"; "white" and "black" on coloured areas, such as a
            heat map.
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

SINGLE, ENSEMBLE = 0, 5
"""Indices in ``Theme.series`` of the best single model and of the ensemble, in all plots."""

CHOICE_INDEX = 7
"""Index of the choice by the surrogate's posterior mean."""

RUN_HUES = len(LIGHT_RUNS)
"""The number of colours of runs, none of which a learner or an ensemble has."""


def make_series_ink(index: int, alpha: float = 1.0) -> Ink:
    """Return the ink of a series; the ninth has the hue of the first, but darker."""
    cycle, index = divmod(index, HUES)
    return Ink(f"{'deep ' if cycle % 2 else ''}series {index}", alpha)


def get_run_ink(run_id: int) -> Ink:
    """Return a run's ink where runs are distinguished; from the sixth on, hues repeat darker."""
    cycle, index = divmod(run_id - 1, RUN_HUES)
    return Ink(f"{'deep ' if cycle % 2 else ''}run {index}")
