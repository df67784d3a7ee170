"""What the slides say, without a window."""

import numpy as np

from studio.analysis.answers.prediction_errors import PredictionErrors
from studio.figures.ink import series
from studio.gui.pages.live.members import Share
from studio.gui.plots.base.measure import Measure
from studio.gui.shell.story import facts
from tests.results import result_of

ERROR = Measure("error rate", "%")


def test_rows_that_the_lighter_members_got_wrong_are_told_and_no_others() -> None:
    answer = PredictionErrors(
        classes=("cat", "dog"),
        listed=np.array([7, 8, 9, 1200]),
        listed_truth=np.array([0, 0, 1, 1]),
        listed_said=np.array([0, 1, 1, 1]),
        listed_spread=np.array([0.4, 0.6, 0.6, 0.75]),
        listed_other=np.array([1, 0, 0, 0]),
    )
    assert facts.outvoted(answer) == [
        "Row 9 is “dog”. Models with 40 % of the weight said otherwise, most of them “cat”.",
        "Row 1,200 is “dog”. Models with 25 % of the weight said otherwise, most of them “cat”.",
    ], "neither a row that the majority got wrong nor one that all of the ensemble did"
    assert facts.outvoted(PredictionErrors(listed=np.array([1]))) == []


def test_the_test_is_beside_what_the_choice_was_made_by() -> None:
    result = result_of(test_error_ensemble=0.019, test_rows=360, test_interval=(0.008, 0.04))
    assert facts.test_numbers(result, 0.011, ERROR) == [
        facts.Number("1.1 %", "error rate on the rows by which it was chosen"),
        facts.Number("1.9 %", "error rate on 360 test rows, which it had never seen"),
    ]
    assert len(facts.test_numbers(result, None, ERROR)) == 1
    assert facts.test_caption(result, ERROR).endswith("Its 95 % interval is 0.8 % to 4.0 %.")
    assert facts.test_caption(result_of(), ERROR).endswith("Trust the test.")


def test_singular_and_plural() -> None:
    one, two = facts.data_numbers(1, 2)
    assert (one.words, two.words) == ("row in the table", "columns to learn from")
    share = Share(3, "Random forest", series(0), 1.0, "")
    assert facts.members_title((share,)) == "One model decides: Random forest"
    assert facts.members_title((share, share)) == "2 models decide together"
