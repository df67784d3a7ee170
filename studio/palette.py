"""Colours of the window, the report and diagrams.

The series are the eight of Okabe and Ito (2008), which people with any colour vision can
distinguish, slightly adjusted so that any two are distinguishable with any kind of colour vision.
"""

LIGHT_SERIES = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55700",
    "#8a9e3a",
    "#3d4450",
)
"""Series colours on a light background, in order of use."""

DARK_SERIES = (
    "#4aa1e1",
    "#f1a819",
    "#2fca95",
    "#d786bb",
    "#91d0f7",
    "#ee7d33",
    "#d2d06e",
    "#b8cfcc",
)
"""Series colours on a dark background, brightened where necessary."""

LIGHT_RUNS = ("#7800f0", "#d80090", "#000060", "#a848d8", "#300030")
"""Colours of runs on a light background, distinguishable from all series, which colour learners."""

DARK_RUNS = ("#c048f0", "#f04878", "#78f048", "#f060d8", "#f03018")
"""Colours of runs on a dark background."""

LIGHT = {
    "background": "#f4f5f7",
    "surface": "#ffffff",
    "raised": "#eceef2",
    "border": "#d9dde4",
    "text": "#1b2129",
    "muted": "#5a6472",
    "accent": "#0b66a8",
    "good": "#00785a",
    "warn": "#9a5b00",
}

DARK = {
    "background": "#14171c",
    "surface": "#1c2027",
    "raised": "#282d36",
    "border": "#343b46",
    "text": "#e8ebf0",
    "muted": "#9aa5b4",
    "accent": "#58b1ea",
    "good": "#3cc39b",
    "warn": "#f0b33f",
}
