"""Context help about the current page, plot and focused control."""

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from studio.gui.shell.help.guide import chapters, title
from studio.language import N_, tr, translate


@dataclass(frozen=True)
class _Topic:
    """A page's help with steps and a chapter of the guide, in English until displayed."""

    title: str
    what: str
    steps: tuple[str, ...]
    chapter: str


TOPICS = {
    "welcome": _Topic(
        N_("Start"),
        N_(
            "Here a table becomes a document. A document keeps the table, the settings, every "
            "run and every result, and is saved automatically."
        ),
        (
            N_("Drop a table (a CSV file, for instance) on the window, or open a sample."),
            N_("Or open a document to continue where you left off."),
        ),
        "01-first-minute.md",
    ),
    "data": _Topic(
        N_("Data"),
        N_(
            "The first rows of your table and the program's guesses about it. Every guess is "
            "explained and can be changed."
        ),
        (
            N_("Check the column to predict (the target) and the kind of answer (the task)."),
            N_("Leave out columns that are not known at prediction time."),
            N_("Press Run, or continue to Space and Run for more settings."),
        ),
        "02-your-data.md",
    ),
    "space": _Topic(
        N_("Space"),
        N_(
            "Which kinds of models are tried, and with which settings (hyperparameters): the "
            "search space. It is a tree: what is below a choice matters only where that choice "
            "is made."
        ),
        (
            N_("Start from a space that comes with the program; it suits most tables."),
            N_("Choose a row to change its range; the right side shows what it means."),
            N_("Everything can be undone."),
        ),
        "03-what-is-tried.md",
    ),
    "run": _Topic(
        N_("Run"),
        N_(
            "How to search: by which method, for how long, and how errors are measured. The "
            "default settings suit a first run."
        ),
        (
            N_("Choose a method; each is described in two sentences."),
            N_("Set how many models are tried (trials), or for how long."),
            N_("Press Run."),
        ),
        "04-runs.md",
    ),
    "live": _Topic(
        N_("Live"),
        N_(
            "The selected run, in progress or finished: what is happening now, how the error "
            "falls, and what is in the ensemble. All plots show the same moment."
        ),
        (
            N_("Drag the slider at the bottom to look back; press Live to follow again."),
            N_("Point at anything in a plot to read its values."),
            N_("Press Expert for all plots, and Simple for the large one again."),
        ),
        "05-live-plots.md",
    ),
    "compare": _Topic(
        N_("Compare"),
        N_(
            "Methods compared on many tables, each several times on the same splits of rows, "
            "so that luck can be distinguished from skill."
        ),
        (
            N_("Add data sets and tick at least two methods, or choose a paper's experiment."),
            N_("Press Start; it works in the background and can be stopped and continued."),
            N_(
                "Look at Answer, Ranks and Over time. Double-click a cell under Runs to open "
                "that run."
            ),
            N_("Export tables and diagrams for a paper."),
        ),
        "08-comparing.md",
    ),
    "results": _Topic(
        N_("Results"),
        N_(
            "The final ensemble with its error on rows that were never used for choosing, beside "
            "the best single model's."
        ),
        (
            N_("Answer says whether the result is useful; Why, which columns it depends on."),
            N_("Who first? sorts the rows of a new table and says how many hits to expect."),
            N_("One row explains a single prediction and what would change it."),
            N_(
                "Decide sets the probability from which rows count as hits, by costs or by how "
                "many you can handle."
            ),
            N_(
                "Errors shows wrong rows; Leaderboard, all models; More data?, what more rows give."
            ),
            N_(
                "Predict and export fills in a new table, and writes a report or a file for Python."
            ),
        ),
        "06-taking-it-home.md",
    ),
}
"""Help by page."""


_SIGNS = frozenset("\\`*_{}[]()#+-.!|<>&~")


def as_markdown(page: str, focused: QWidget | None) -> str:
    """Return help for a page, preceded by that for the focused control or plot."""
    parts = [*_control_help(focused), *_plot(focused), *_page_help(page)]
    return "\n\n".join(part for part in parts if part)


def escape_markdown(text: str) -> str:
    """Escape plain text for Markdown."""
    return "".join(f"\\{each}" if each in _SIGNS else each for each in text)


def _control_help(focused: QWidget | None) -> list[str]:
    each = focused
    while each is not None and not each.isWindow():
        if each.accessibleName() and each.toolTip():
            return [f"## {escape_markdown(each.accessibleName())}", escape_markdown(each.toolTip())]
        each = each.parentWidget()
    return []


def find_plot_around(inside: QWidget | None) -> QWidget | None:
    """Return the Live page's plot that contains a widget."""
    each = inside
    while each is not None and not each.objectName().startswith("plot-"):
        each = each.parentWidget()
    return each


def _plot(focused: QWidget | None) -> list[str]:
    plot = find_plot_around(focused)
    if plot is None:
        return []
    title, summary, explanation, source = (
        escape_markdown(translate(str(getattr(plot, name, ""))))
        for name in ("title", "summary", "explanation", "source")
    )
    cited = f"*{tr('After {source}', source=source)}*" if source else ""
    return [f"## {title}", summary, explanation, cited]


def _page_help(key: str) -> list[str]:
    topic = TOPICS.get(key)
    if topic is None:
        return []
    steps = "\n".join(
        f"{number}. {escape_markdown(tr(step))}" for number, step in enumerate(topic.steps, start=1)
    )
    parts = [
        f"# {escape_markdown(tr(topic.title))}",
        escape_markdown(tr(topic.what)),
        f"## {escape_markdown(tr('What to do'))}",
        steps,
    ]
    chapter = escape_markdown(title(chapters()[topic.chapter]))
    return [*parts, f"[{tr('Read more in the guide')}: {chapter}](guide:{topic.chapter})"]
