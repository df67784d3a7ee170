"""Which pages there are, as they stand on the rail."""

from studio.gui.base.language import mark

WELCOME = "welcome"
PAGES = (
    ("data", mark("Data"), mark("The table, the column to predict, the split")),
    ("space", mark("Space"), mark("Which models and settings are tried: the search space")),
    ("run", mark("Run"), mark("Method, budget and limits of the next run")),
    ("live", mark("Live"), mark("Watch the chosen run")),
    ("compare", mark("Compare"), mark("Methods against each other on many tables")),
    ("results", mark("Results"), mark("The final ensemble: predict and export")),
)
"""Key (also the icon's name), title and one line of each page on the rail."""

ALSO = {
    "data": mark("table columns features variables rows missing weights groups ignore preview"),
    "space": mark("search space models algorithms hyperparameters tree learners tune grid"),
    "run": mark("train training fit settings method start options"),
    "live": mark("plots charts graphs watch dashboard progress"),
    "compare": mark("benchmark comparison study methods versus significance"),
    "results": mark("predict predictions forecast export leaderboard score test error answer"),
}
"""Everyday words by which people look for each page, the most usual first."""
