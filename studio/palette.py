"""The colours of series, one list for the window, the report and a paper's diagrams.

They are the eight of Okabe and Ito (2008), which people with any colour vision can tell apart, a
little moved so that each two differ enough in all kinds of colour vision.
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
"""On a light ground, to be used in this order."""

DARK_SERIES = (
    "#4aa1e1",
    "#f1a819",
    "#2fca95",
    "#d786bb",
    "#91d0f7",
    "#ee7d33",
    "#f0ef43",
    "#b8cfcc",
)
"""On a dark ground, brightened where it needs that."""
