"""What the help panel says of each page: what it is, and what to do there."""

from dataclasses import dataclass

from studio.gui.base.language import mark


@dataclass(frozen=True)
class Topic:
    """A page's help, in English; it is translated where it is shown.

    Attributes
    ----------
    title, what : str
        The page, and what it is for.
    steps : tuple of str
        What to do, in order.
    chapter : str
        The chapter of the guide that says more: its file's name.
    """

    title: str
    what: str
    steps: tuple[str, ...]
    chapter: str


TOPICS = {
    "welcome": Topic(
        mark("Start"),
        mark(
            "Here a table becomes a document. A document keeps the table, the settings, every run "
            "and every result, and saves by itself."
        ),
        (
            mark("Drop a table (a CSV file, for instance) on the window, or open a sample."),
            mark("Or open a document to continue where you left off."),
        ),
        "01-first-minute.md",
    ),
    "data": Topic(
        mark("Data"),
        mark(
            "The first rows of your table and what was guessed about it. Every guess says why it "
            "was made, and every one can be changed."
        ),
        (
            mark("Check the column to predict (the target) and the kind of answer (the task)."),
            mark("Leave out columns that cannot be known when predicting."),
            mark("Press Run, or continue to Space and Run to decide more."),
        ),
        "02-your-data.md",
    ),
    "space": Topic(
        mark("Space"),
        mark(
            "Which kinds of models are tried, and with which settings (hyperparameters): the "
            "search space. It is a tree: what is below a choice matters only where that choice "
            "is made."
        ),
        (
            mark("Start from a space that comes with the program; it suits most tables."),
            mark("Choose a row to change its range; the right side shows what it means."),
            mark("Everything can be undone."),
        ),
        "03-what-is-tried.md",
    ),
    "run": Topic(
        mark("Run"),
        mark(
            "How the search is done: by which method, for how long, and how errors are measured. "
            "The settings offered are good for a first run."
        ),
        (
            mark("Choose a method; each says in two sentences what it does."),
            mark("Set how many models are tried (trials), or for how long."),
            mark("Press Run."),
        ),
        "04-runs.md",
    ),
    "live": Topic(
        mark("Live"),
        mark(
            "The chosen run while it is in progress, or afterwards: what happens now, how the "
            "error falls, and what is in the ensemble. All plots show the same moment."
        ),
        (
            mark("Drag the slider at the bottom to look back; press Live to follow again."),
            mark("Point at anything drawn to read its numbers."),
            mark("Press Expert for all plots, and Simple for the large one again."),
        ),
        "05-live-plots.md",
    ),
    "compare": Topic(
        mark("Compare"),
        mark(
            "Methods compared on many tables, each several times on the same splits of rows, "
            "so that luck can be distinguished from skill."
        ),
        (
            mark("Add data sets and tick at least two methods, or choose a paper's experiment."),
            mark("Press Start; it works in the background and can be stopped and continued."),
            mark(
                "Look at the answer, the ranks and the course. Double-click a cell of the runs to "
                "see it."
            ),
            mark("Export tables and diagrams for a paper."),
        ),
        "08-comparing.md",
    ),
    "results": Topic(
        mark("Results"),
        mark(
            "The final ensemble with its error on rows that were never used for choosing, beside "
            "the best single model's."
        ),
        (
            mark("Predict a new table with the same columns."),
            mark("Take the ensemble home as a file for Python."),
        ),
        "06-taking-it-home.md",
    ),
}
"""By the key of the page."""
