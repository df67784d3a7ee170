"""Pictures of windows as small PNG files: at most 256 colours, chosen by variance."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from icons import png

_COLOURS = 256


def shrink(path: Path, width: int | None = None) -> None:
    """Rewrite a picture with a palette, at most ``width`` pixels wide.

    Raises:
        OSError: If the picture cannot be read or written.
    """
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    if image.isNull():
        raise OSError(f"{path} is no picture.")
    if width is not None and width < image.width():
        image = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    colours, colour_of_pixel, counts = np.unique(
        pixels & 0xFFFFFF, return_inverse=True, return_counts=True
    )
    palette, index = _make_palette(colours, counts)
    values = index[colour_of_pixel].reshape(pixels.shape).astype(np.uint8)
    small_image = QImage(values.tobytes(), image.width(), image.height(), image.width(),
                   QImage.Format.Format_Indexed8)  # fmt: skip
    small_image.setColorTable([0xFF000000 | int(colour) for colour in palette])
    path.write_bytes(png(small_image))


def _make_palette(colours: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return at most 256 colours (0xrrggbb), and which of them replaces each given one.

    The set of colours with the largest variance is repeatedly split at its mean.
    """
    rgb = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(float)
    # Square root: a hundred background pixels must not outweigh ten different ones of a curve.
    weights = np.sqrt(counts.astype(float))
    sets = [np.arange(len(colours))]
    spreads = [_compute_spread(rgb, weights)]
    while len(sets) < min(_COLOURS, len(colours)):
        widest = int(np.argmax([spread.max() for spread in spreads]))
        member_indices, axis = sets.pop(widest), int(np.argmax(spreads.pop(widest)))
        channel = rgb[member_indices, axis]
        is_above = channel > np.average(channel, weights=weights[member_indices])
        for subset in (member_indices[is_above], member_indices[~is_above]):
            sets.append(subset)
            spreads.append(_compute_spread(rgb[subset], weights[subset]))
    index = np.empty(len(colours), np.intp)
    palette = np.empty(len(sets), np.uint32)
    for number, member_indices in enumerate(sets):
        index[member_indices] = number
        # The most common colour of a set, not the mean, so that backgrounds and texts keep theirs.
        palette[number] = colours[member_indices[np.argmax(counts[member_indices])]]
    return palette, index


def _compute_spread(rgb: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted sum of squared deviations of each of the three channels."""
    mean_colour = np.average(rgb, axis=0, weights=weights)
    return np.asarray(weights @ (rgb - mean_colour) ** 2)
