"""List of pages, in the order of the rail."""

from studio.language import N_

WELCOME = "welcome"
PAGES = (
    ("data", N_("Data"), N_("The table, the column to predict, the split")),
    ("space", N_("Space"), N_("The models and settings to try: the search space")),
    ("run", N_("Run"), N_("Method, budget and limits of the next run")),
    ("live", N_("Live"), N_("Watch the selected run")),
    ("compare", N_("Compare"), N_("Methods compared on many tables")),
    ("results", N_("Results"), N_("The final ensemble: predict and export")),
)
"""Key (also the icon's name), title and description of each page."""

SEARCH_WORDS = {
    "data": N_(
        "table columns rows weights groups features variables missing values ignore drop remove "
        "delete exclude outliers outlier preview leak leakage findings units currency statistics "
        "distribution median mean"
    ),
    "space": N_("hyperparameters search space models algorithms tree learners tune grid"),
    "run": N_("settings method options training fit start list of runs delete remove rename"),
    "live": N_("plots charts graphs watch dashboard progress"),
    "compare": N_("benchmark comparison study methods versus significance"),
    "results": N_(
        "predict leaderboard predictions forecast new data export score test error answer"
    ),
}
"""Search words of each page, the most common first."""
