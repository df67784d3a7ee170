"""The questions that plots answer, by which the Live page groups them."""

from studio.language import N_

GOOD, SEARCH, ENSEMBLE, WORK = "good", "search", "ensemble", "work"

QUESTIONS = {
    GOOD: N_("How good is it?"),
    SEARCH: N_("What does the search expect?"),
    ENSEMBLE: N_("What is in the ensemble?"),
    WORK: N_("How is the work going?"),
}
"""Each question's words, in the order of the page."""
