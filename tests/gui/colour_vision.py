"""Colour contrast and simulated colour blindness, for tests of palettes."""

import numpy as np

from studio.arrays import Floats

# Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color
# vision deficiency", table 1 at severity 1.0; on linear RGB.
VISION = {
    "ordinary": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(text: str) -> Floats:
    """Return ``#rrggbb`` as linear RGB in [0, 1]."""
    values = np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2, in [1, 21]."""
    low, high = sorted(float(_TO_XYZ[1] @ linear(each)) for each in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(text: str, vision: str = "ordinary") -> Floats:
    """Return a colour in CIELAB, as perceived with a kind of colour vision."""
    perceived_rgb = np.clip(VISION[vision] @ linear(text), 0.0, 1.0)
    part = (_TO_XYZ @ perceived_rgb) / _WHITE
    root = np.where(part > (6 / 29) ** 3, np.cbrt(part), part / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def distance(one: str, other: str, vision: str = "ordinary") -> float:
    """Return the perceived distance of two colours (CIE 1976; about 2 is just noticeable)."""
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))
