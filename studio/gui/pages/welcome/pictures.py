"""Small pictures of the Welcome page: a finished run, and the samples' rows.

They use shipped data and the common drawing code of diagrams.
"""

import csv
import json
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np

from studio.arrays import Floats, Integers
from studio.assets import RESOURCES
from studio.data.pixels import find_pixels
from studio.data.samples import Sample
from studio.figures.axes import LEADER, spread_positions
from studio.figures.ink import ENSEMBLE, SINGLE
from studio.figures.shapes import Box, Diagram, Dot, Path, Shape, TextLabel, get_series_colour
from studio.language import format_share, tr

_LETTER, _SIZE, _NAME = 6.0, 11.0, 16.0
"""Letter width, type size and height of the labels at the right of the run's picture, in pixels."""

_MIN_LINE_SHARE = 0.4
"""Minimum share of the picture's width for the lines."""

_WARMUP_SHARE = 0.05
"""Share of the run after which its lines determine the range of the axis."""

_GAP = 4.0
"""Margin around the symbols of a sample's picture, in pixels."""

_ROWS, _IMAGES = 150, 3
"""Maximum number of rows in a sample's picture, and of images per line if its rows are images."""


@cache
def _load_curves() -> tuple[Floats, Floats]:
    recording = json.loads(
        (RESOURCES / "recordings" / "miniature.json").read_text(encoding="utf-8")
    )
    return np.array(recording["single_test"], float), np.array(recording["ensemble_test"], float)


def draw_run(width: float, height: float, progress: float = 1.0) -> Diagram:
    """Draw the errors of the recorded run on test rows at a share ``progress`` in (0, 1]."""
    single, ensemble = curves = _load_curves()
    top = max(float(each[round(_WARMUP_SHARE * len(each))]) for each in curves)
    n_points = max(2, round(progress * len(single)))

    def to_point(index: int, value: float) -> tuple[float, float]:
        high = height - 2 * _GAP
        return right * index / (len(single) - 1), _GAP + high * (1 - min(value, top) / top)

    single_text, ensemble_text = (format_share(float(each[-1])) for each in curves)
    names = (
        tr("best model, test {error}", error=single_text),
        tr("ensemble, test {error}", error=ensemble_text),
    )
    right = max(_MIN_LINE_SHARE * width, width - LEADER - _GAP - _LETTER * max(map(len, names)))
    lines = (
        (single, get_series_colour(SINGLE), 2.0, names[0]),
        (ensemble, get_series_colour(ENSEMBLE), 3.0, names[1]),
    )
    shapes: list[Shape] = [Path(((0.0, height - 1), (right, height - 1)), "border")]
    ends = []
    for curve, ink, weight, name in lines:
        points = tuple(
            to_point(index, value) for index, value in enumerate(curve[:n_points].tolist())
        )
        shapes.append(Path(points, ink, weight))
        ends.append((points[-1], ink, name))
    ends.sort(key=lambda end: end[0][1])
    levels = spread_positions([y for (_, y), _, _ in ends], _NAME, _NAME / 2, height - _NAME / 2)
    for ((x, y), ink, name), level in zip(ends, levels, strict=True):
        shapes.append(Path(((x, y), (x + LEADER, level)), ink, 1.5))
        shapes.append(TextLabel(x + LEADER + _GAP, level + _GAP, name, size=_SIZE))
    return Diagram("miniature", "", "", width, height, tuple(shapes))


@dataclass(frozen=True)
class _SampleRows:
    """The first rows of a sample.

    Attributes:
        names, values: The numeric columns, and their content, shape (n, d).
        target: Shape (n,). Indices of the classes, or values.
    """

    names: tuple[str, ...]
    values: Floats
    target: Floats
    is_classification: bool


@cache
def _load_rows(sample: Sample) -> _SampleRows:
    with sample.path.open(encoding="utf-8", newline="") as file:
        header, *rows = islice(csv.reader(file), 1 + _ROWS)
    target_index = header.index(sample.target)
    values = np.array([[each for j, each in enumerate(row) if j != target_index] for row in rows])
    target = np.array([row[target_index] for row in rows])
    names = tuple(name for j, name in enumerate(header) if j != target_index)
    classes, codes = np.unique(target, return_inverse=True)
    if len(classes) <= 10:
        return _SampleRows(names, values.astype(float), codes.astype(float), True)
    return _SampleRows(names, values.astype(float), target.astype(float), False)


def draw_sample(sample: Sample, size: float) -> Diagram:
    """Return a square picture of a sample: its first images, or its rows as dots."""
    rows = _load_rows(sample)
    pixels = find_pixels(rows.names)
    shapes = (
        _draw_dots(rows, size)
        if pixels is None
        else _draw_images(rows, size, pixels.height, pixels.positions)
    )
    return Diagram(sample.key, "", "", size, size, tuple(shapes))


def _draw_images(
    rows: _SampleRows, edge_length: float, height: int, pixel_positions: Integers
) -> list[Shape]:
    """Draw the first rows as images, in a square.

    Args:
        edge_length, height: Edge of the square, and height of an image in its pixels.
        pixel_positions: Shape (d,). The pixel of each column.
    """
    edge = (edge_length - _GAP * (_IMAGES - 1)) / _IMAGES
    size = edge / height
    top = float(rows.values.max())
    shapes: list[Shape] = []
    for number, row in enumerate(rows.values[: _IMAGES**2]):
        grid_row, grid_column = divmod(number, _IMAGES)
        left, top_edge = grid_column * (edge + _GAP), grid_row * (edge + _GAP)
        for pixel, value in zip(pixel_positions.tolist(), row.tolist(), strict=True):
            if value > 0:
                y, x = divmod(pixel, height)
                corner = left + x * size, top_edge + y * size
                shapes.append(Box(*corner, size, size, "text", alpha=value / top))
    return shapes


def _draw_dots(rows: _SampleRows, size: float) -> list[Shape]:
    """Plot rows by the two most informative columns, or a numeric target against one column."""
    codes = rows.target - rows.target.mean()
    centred = rows.values - rows.values.mean(axis=0)
    separations = np.sqrt(np.square(centred).sum(axis=0) * np.square(codes).sum())
    best = np.argsort(-np.abs(centred.T @ codes) / np.where(separations > 0, separations, np.inf))
    x = rows.values[:, best[0]]
    y = rows.values[:, best[1]] if rows.is_classification else rows.target
    inks = (
        [get_series_colour(int(each)) for each in rows.target]
        if rows.is_classification
        else [get_series_colour(0)] * len(x)
    )
    low, plot_size = _GAP, size - 2 * _GAP
    x_positions = low + plot_size * (x - x.min()) / (np.ptp(x) or 1.0)
    y_positions = low + plot_size * (1 - (y - y.min()) / (np.ptp(y) or 1.0))
    return [
        Dot(float(position), float(level), 2.5, ink, alpha=0.8)
        for position, level, ink in zip(x_positions, y_positions, inks, strict=True)
    ]
