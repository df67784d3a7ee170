"""Which pages there are, in the order of the rail."""

from studio.gui.base.language import mark

WELCOME = "welcome"
PAGES = (
    ("data", mark("Data"), mark("The table, the column to predict, the split")),
    ("space", mark("Space"), mark("Which models and settings are tried: the search space")),
    ("run", mark("Run"), mark("Method, budget and limits of the next run")),
    ("live", mark("Live"), mark("Watch the chosen run")),
    ("compare", mark("Compare"), mark("Methods compared on many tables")),
    ("results", mark("Results"), mark("The final ensemble: predict and export")),
)
"""Key (also the icon's name), title and one line of each page on the rail."""

ALSO = {
    "data": mark("table columns rows weights groups features variables missing ignore preview"),
    "space": mark("hyperparameters search space models algorithms tree learners tune grid"),
    "run": mark("settings method options training fit start"),
    "live": mark("plots charts graphs watch dashboard progress"),
    "compare": mark("benchmark comparison study methods versus significance"),
    "results": mark("predict leaderboard predictions forecast export score test error answer"),
}
"""Everyday words by which people look for each page, the most usual first."""
