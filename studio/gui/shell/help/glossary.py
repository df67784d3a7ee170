"""Glossary of the window's terms, each explained in one or two sentences."""

from studio.data.metrics.registry import REGISTRY
from studio.gui.shell.commands.palette import fold_accents
from studio.gui.shell.help.context_help import escape_markdown
from studio.language import N_, tr, translate

_METRICS = ("error", "log-loss", "auc", "rmse")
"""The metrics, whose titles and summaries are those of the Run page."""

_WORDS = (
    (
        N_("Trial"),
        N_("One attempt of the search: a kind of model with its settings, trained and scored."),
    ),
    (N_("Iteration"), N_("A point in a run, counted in finished trials.")),
    (N_("Metric"), N_("The measure for comparing models, such as the log loss; lower is better.")),
    (N_("Ensemble"), N_("Several models whose predictions are combined into one.")),
    (N_("Weight"), N_("The share of a model in the ensemble's prediction.")),
    (N_("Best so far (incumbent)"), N_("The trial with the lowest validation error so far.")),
    (N_("Training rows"), N_("The rows from which a model learns.")),
    (
        N_("Validation rows"),
        N_("Rows on which the search compares models; models do not learn from them."),
    ),
    (
        N_("Test rows"),
        N_("Rows for the final evaluation, used neither for training nor for selection."),
    ),
    (
        N_("Fold"),
        N_("One of the parts of the rows in cross-validation; each is used for validation once."),
    ),
    (N_("Hold-out"), N_("A part of the rows set aside to evaluate models on unseen rows.")),
    (N_("Refit"), N_("Training the final models again, on all rows except the test rows.")),
    (
        N_("Interval"),
        N_("A range that contains the true value with a given probability, such as 95 %."),
    ),
    (
        N_("Leak"),
        N_(
            "A column known only after the outcome: results look very good, but predictions of "
            "new rows are poor."
        ),
    ),
    (
        N_("Calibration"),
        N_("Whether probabilities come true: of ten rows with 70 %, about seven should be hits."),
    ),
    (N_("Decision threshold"), N_("The minimum probability at which a row gets the label.")),
    (N_("Hit"), N_("A row with the label of interest.")),
    (N_("Hit rate"), N_("The share of hits among the selected rows.")),
    (
        N_("Expected hits"),
        N_("How many of the first rows of a new table are probably hits, with an interval."),
    ),
    (N_("False alarm"), N_("A row wrongly predicted as a hit.")),
    (N_("Miss"), N_("A hit that was not predicted.")),
    (
        N_("Confusion matrix"),
        N_("The true classes against the predicted ones: how many rows each pair has."),
    ),
    (N_("Drift"), N_("New rows differ from the training rows, so predictions get worse.")),
    (N_("Target"), N_("The column to predict.")),
    (N_("Search space"), N_("All kinds of models and settings that a run may try.")),
    (
        N_("Hyperparameter"),
        N_("A setting of a model, chosen by the search, such as the depth of its trees."),
    ),
    (
        N_("Surrogate"),
        N_("A quick model of the search itself: it guesses how good untried settings would be."),
    ),
    (N_("Baseline"), N_("The simplest prediction, such as always the most common class.")),
)


def list_terms() -> list[tuple[str, str]]:
    """Return the words and their meanings in the user's language, in its order."""
    terms = [
        *((tr(word), tr(meaning)) for word, meaning in _WORDS),
        *(
            (translate(each.title), translate(each.summary))
            for each in REGISTRY
            if each.key in _METRICS
        ),
    ]
    return sorted(terms, key=lambda each: fold_accents(each[0].removeprefix("1 − ")))


def format_glossary() -> str:
    """Return the glossary as Markdown."""
    parts = [
        f"### {escape_markdown(word)}\n\n{escape_markdown(meaning)}"
        for word, meaning in list_terms()
    ]
    return "\n\n".join([f"# {tr('Words')}", *parts])
