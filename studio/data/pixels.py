"""Columns that are pixels of an image, by name: "row 2 column 5", "pixel37"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np

from studio.arrays import Integers

_TWO_INDICES = re.compile(r"(\D*)([0-9]+)(\D*)([0-9]+)")
_ONE_INDEX = re.compile(r"(\D+)([0-9]+)")

_PIXEL_WORDS = frozenset(("p", "px", "pix", "pixel", "pixels", "img", "image"))
_ROW_WORDS = _PIXEL_WORDS | {"", "row", "r", "x", "y"}
_COLUMN_WORDS = frozenset(("", "column", "col", "c", "x", "y"))
_MIN_SIDE = 5  # minimum rows and columns of an image


@dataclass(frozen=True)
class Pixels:
    """The pixels of columns in an image, (d,), counted row by row from 0; -1 for none."""

    height: int
    width: int
    positions: Integers


def find_pixels(names: Sequence[str]) -> Pixels | None:
    """Return the image whose pixels the d columns are, by name; ``None`` if some are missing."""
    for pattern, parse in ((_TWO_INDICES, _parse_two_indices), (_ONE_INDEX, _parse_one_index)):
        matches = [pattern.fullmatch(name.strip()) for name in names]
        cells = [None if match is None else parse(match) for match in matches]
        stems = {cell[0] for cell in cells if cell is not None}
        for stem in sorted(stems):
            image = _build_image([cell[1:] if cell and cell[0] == stem else None for cell in cells])
            if image is not None:
                return image
    return None


def _parse_two_indices(match: re.Match[str]) -> tuple[str, int, int] | None:
    first, second = (_strip_to_letters(match[part]) for part in (1, 3))
    if first not in _ROW_WORDS or second not in _COLUMN_WORDS or not match[3]:
        return None
    return f"{first} {second}", int(match[2]), int(match[4])


def _parse_one_index(match: re.Match[str]) -> tuple[str, int, int] | None:
    stem = _strip_to_letters(match[1])
    return (stem, 0, int(match[2])) if stem in _PIXEL_WORDS else None


def _strip_to_letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


def _build_image(cells: Sequence[tuple[int, int] | None]) -> Pixels | None:
    """Return the image of cells by row and column, if each pixel occurs exactly once."""
    known_cells = [cell for cell in cells if cell is not None]
    rows, columns = ({cell[axis] for cell in known_cells} for axis in (0, 1))
    height, width = len(rows), len(columns)
    top, left = min(rows, default=0), min(columns, default=0)
    is_complete = len(set(known_cells)) == len(known_cells) == height * width
    if not is_complete or max(rows) - top + 1 != height or max(columns) - left + 1 != width:
        return None
    if height == 1:  # numbered consecutively
        height = width = isqrt(width)
        if height * width != len(known_cells):
            return None
    if min(height, width) < _MIN_SIDE:
        return None
    positions = [-1 if cell is None else (cell[0] - top) * width + cell[1] - left for cell in cells]
    return Pixels(height, width, np.array(positions, dtype=np.int64))
