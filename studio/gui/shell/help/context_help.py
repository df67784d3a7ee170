"""Context help about the current page or question."""

from dataclasses import dataclass

from studio.gui.shell.help.guide import get_title, load_chapters
from studio.language import N_, tr


@dataclass(frozen=True)
class _Topic:
    """A page's help with steps and a chapter of the guide, in English until displayed."""

    title: str
    description: str
    steps: tuple[str, ...]
    chapter: str = "06-taking-it-home.md"
    heading: str = N_("What to do")


TOPICS = {
    "welcome": _Topic(
        N_("Start"),
        N_(
            "Open a table here to create a document. It holds the table, the settings, every run "
            "and every result, and is saved automatically."
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
            "The first rows of your table, and how the program reads it. Every guess is "
            "explained and can be changed."
        ),
        (
            N_("Check the column to predict (the target) and the kind of prediction (the task)."),
            N_("Answer the questions beside the table: only you know the answers."),
            N_("Leave out columns that are unknown at prediction time."),
            N_("Press Run, or continue to Space and Run for more settings."),
        ),
        "02-your-data.md",
    ),
    "space": _Topic(
        N_("Space"),
        N_(
            "Which kinds of models are tried, and with which settings (hyperparameters): the "
            "search space. It is a tree: hyperparameters below a choice apply only when it is "
            "selected."
        ),
        (
            N_("For a first result, change nothing here. It applies to the next run."),
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
            N_("Hover over a plot to read values."),
            N_("Press Expert for all plots, and Simple for the large one again."),
        ),
        "05-live-plots.md",
    ),
    "compare": _Topic(
        N_("Compare"),
        N_(
            "Methods compared on many tables, each several times on the same splits of rows, so "
            "that chance can be told from skill."
        ),
        (
            N_("Add data sets and tick at least two methods, or choose a paper's experiment."),
            N_(
                "Keep enough repetitions: the text below Start gives their statistical power and "
                "duration."
            ),
            N_("Press Start; it runs in the background and can be stopped and continued."),
            N_(
                "Look at Answer, at Ranks (of one data set: Differences) and Over time. "
                "Double-click a cell under Runs to open that run."
            ),
            N_("Export tables and diagrams for a paper."),
        ),
        "08-comparing.md",
    ),
    "results": _Topic(
        N_("Results"),
        N_(
            "The final ensemble with its error on rows never used for selection, compared with "
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
                "Predict and export: predictions for a new table, a report, or a model file for "
                "Python."
            ),
        ),
        "06-taking-it-home.md",
    ),
}


def _make_question_topic(title: str, description: str, *hints: str) -> _Topic:
    return _Topic(title, description, hints, heading="")


QUESTION_TOPICS = {
    "answer": _make_question_topic(
        N_("Answer"),
        N_(
            "The headline says how good the model is on test rows, which were not used for "
            "choosing anything. If it is hardly better than chance or guessing, it is of little "
            "use."
        ),
        N_(
            "The bars are 95 % intervals. The sentence below them says whether the ensemble's "
            "lead over the best single model may be due to chance."
        ),
        N_(
            "Why shows the most important columns; Predict and export applies the model to new "
            "rows."
        ),
    ),
    "why": _make_question_topic(
        N_("Why"),
        N_(
            "The longest bar is the column that matters most: how much worse predictions get "
            "when its values are shuffled."
        ),
        N_("A faint bar may be due to chance: its 95 % interval includes 0."),
        N_("Choose a column to see in which direction it changes the prediction."),
        N_(
            "Does one column matter far more than all others? Check whether it is known only "
            "afterwards; if so, leave it out on the Data page and run again."
        ),
    ),
    "who_first": _make_question_topic(
        N_("Who first?"),
        N_(
            "It ranks the rows of a new table by their prediction, and says how many hits to "
            "expect among the first."
        ),
        N_("Choose a table with the columns of the first one; the target may be missing."),
        N_("Set how many rows you can handle, or drag the line in the table."),
        N_("Choose a row to see why it is there; save the first rows for those who need them."),
    ),
    "one_row": _make_question_topic(
        N_("One row"),
        N_(
            "It shows the prediction for one row, how certain it is, and what each column adds to "
            "the average: the bars add up to the prediction."
        ),
        N_("Type a row's number, or change values by hand."),
        N_(
            "“What would change the prediction” shows what the model would predict, not what would "
            "happen: the table cannot prove that a change has that effect."
        ),
    ),
    "decide": _make_question_topic(
        N_("Decide"),
        N_(
            "A lower threshold finds more of the rows you are looking for, but gives more false "
            "alarms: choose what suits you."
        ),
        N_("Costs: what a miss and a false alarm cost. Capacity: how many rows you can handle."),
        N_("Press “Use this decision”: predictions, exports and the report follow it."),
    ),
    "errors": _make_question_topic(
        N_("Errors"),
        N_("The sentence at the top names the most frequent error; the plot shows all rows."),
        N_(
            "Confusion matrix: a line per true class, a column per predicted one. Blue is right, "
            "orange is wrong; click a cell to see its rows."
        ),
        N_(
            "“See the worst rows” lists the rows with the largest errors. Select one to see why it "
            "was predicted so; double-click opens it in One row."
        ),
        N_("With a decision, labels follow it."),
    ),
    "leaderboard": _make_question_topic(
        N_("Leaderboard"),
        N_("All trials, lowest validation error first."),
        N_(
            "Trials with a weight are members of the ensemble. A good trial may have none: members "
            "are chosen for what they add to each other."
        ),
        N_("Select a trial to use it alone or to see it in Live."),
        N_("The test error is for evaluation only: if you select by it, it becomes optimistic."),
    ),
    "more_rows": _make_question_topic(
        N_("More data?"),
        N_(
            "If the error still falls towards the right end of the curve, more rows of the same "
            "kind will probably help; if the curve is flat, they will not."
        ),
        N_("It trains the members on growing shares of your rows, which takes a moment."),
    ),
}


_MARKDOWN_CHARACTERS = frozenset("\\`*_{}[]()#+-.!|<>&~")


def format_as_markdown(page: str) -> str:
    """Return help for a page or question; empty if there is none.

    Args:
        page: A page's key, or "results." and a question's.
    """
    name = page.split(".", maxsplit=1)[0]
    topic = QUESTION_TOPICS.get(page.removeprefix("results.")) or TOPICS.get(name)
    if topic is None:
        return ""
    steps = "\n".join(
        f"{f'{number}.' if topic.heading else '-'} {escape_markdown(tr(step))}"
        for number, step in enumerate(topic.steps, start=1)
    )
    heading = f"## {escape_markdown(tr(topic.heading))}" if topic.heading else ""
    chapter = escape_markdown(get_title(load_chapters()[topic.chapter]))
    parts = (
        f"# {escape_markdown(tr(topic.title))}",
        escape_markdown(tr(topic.description)),
        heading,
        steps,
        f"[{tr('Read more in the guide')}: {chapter}](guide:{topic.chapter})",
    )
    return "\n\n".join(filter(None, parts))


def escape_markdown(text: str) -> str:
    """Escape plain text for Markdown."""
    return "".join(f"\\{each}" if each in _MARKDOWN_CHARACTERS else each for each in text)
