"""What each statistic means, in plain words; the exact terms are in the captions of the tables."""

from studio.gui.base.language import mark

WORDS = {
    "errors": mark(
        "How often (or how far) each method was wrong on rows that no search ever saw. Read it "
        "row by row: the best of a row is bold; underlined entries are worse by more than "
        "chance explains. Only repetitions that all methods of the row have finished are "
        "compared; their number is n."
    ),
    "ranks": mark(
        "On every data set the best method gets rank 1, the next 2, and so on. The mean rank "
        "says who is usually ahead, even where errors of different data sets cannot be "
        "compared."
    ),
    "wins": mark(
        "How often the method of the row beats that of the column, as a share of all "
        "repetitions: 0.50 is a draw. Stars and daggers mark a method whose lead over the data "
        "sets is unlikely to be chance."
    ),
    "pairs": mark(
        "Each pair of methods compared. A small p means: if both were equally good, a "
        "difference like this would seldom arise by chance. Below 0.05 is the usual limit."
    ),
    "differences": mark(
        "By how much the first method's error lies below (−) or above (+) the second's on each "
        "data set, with the range in which the true difference may be. What is called undecided "
        "may well be chance."
    ),
    "rank-over-iterations": mark(
        "Who would be ahead if the search had been stopped earlier. Lines that rise early belong "
        "to methods that find good models quickly; the top is rank 1."
    ),
    "probability-over-iterations": mark(
        "How sure one can be, from the individual test rows, that a method beats the first "
        "one on most data sets. One half means undecided; near 1 it is almost certain."
    ),
    "critical-difference": mark(
        "Methods on a line by mean rank, better ones at the left. A thick bar joins methods that "
        "these data sets cannot tell apart."
    ),
    "algorithms": mark(
        "What each method spent its trials on, and (in brackets) which kinds of models ended in "
        "its ensembles."
    ),
    "box-plots": mark(
        "How much the errors vary. Each box holds the middle half of all repetitions; 1 is the "
        "average of all methods in the same repetition, and lower is better."
    ),
    "cost": mark(
        "What each method cost: runs, trials, the time spent on suggestions, and the total time."
    ),
    "searches": mark(
        "What the searches recorded about themselves, for those who know the methods: for "
        "instance how different the models they tried were."
    ),
}
"""Key of a table or diagram → how to read it; translated where it is shown."""

MISSING = {
    "": mark("Nothing to show yet: it appears when the first runs have finished."),
    "ranks": mark("It needs a repetition that every method has finished."),
    "wins": mark("It needs a repetition that at least two methods have finished."),
    "pairs": mark("It needs a repetition that at least two methods have finished."),
    "differences": mark("It needs a repetition that at least two methods have finished."),
    "rank-over-iterations": mark("It needs a repetition that every method has finished."),
    "probability-over-iterations": mark(
        "It needs a repetition that every method has finished; then it is worked out from the "
        "test rows, which takes a moment."
    ),
    "critical-difference": mark(
        "It needs two data sets, each with three repetitions that every method has finished."
    ),
    "algorithms": mark(
        "The search space does not choose among algorithms, so there are no shares to show."
    ),
    "box-plots": mark("It needs a repetition that every method has finished."),
}
"""Key → why there is nothing yet, and what it waits for."""
