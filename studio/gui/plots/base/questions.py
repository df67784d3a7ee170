"""The questions that plots answer, by which the Live page groups them."""

from studio.gui.base.language import mark

GOOD, SEARCH, ENSEMBLE, WORK = "good", "search", "ensemble", "work"

QUESTIONS = {
    GOOD: mark("How good is it?"),
    SEARCH: mark("What does the search expect?"),
    ENSEMBLE: mark("What is in the ensemble?"),
    WORK: mark("How is the work going?"),
}
"""Each question's words, in the order of the page."""
