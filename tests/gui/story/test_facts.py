"""The contents of the slides, without a window."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.answers.predictions import (
    ConfusionCounts,
    DecisionFigures,
    ListedColumn,
    PredictionErrors,
)
from studio.analysis.answers.rows import ExpectedOutcome
from studio.analysis.decision_text import make_decided_parts
from studio.analysis.headline_text import make_brief_headlines
from studio.analysis.selected_rows_text import describe_outcome
from studio.data.metrics.plain_score import PlainScore, RankedHits
from studio.data.reading import read
from studio.data.table import Table
from studio.document.trials import GAP_KEY, Iteration
from studio.export.report.charts import make_ranking
from studio.figures.ink import make_series_ink
from studio.gui.pages.live.member_strip import MemberSegment
from studio.gui.pages.live.run_headlines import describe_briefly, describe_current_work
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import describe_better_single
from studio.gui.shell.story import facts
from studio.language import translate
from studio.measure import Measure
from studio.runs.settings import RunSettings
from studio.trial import Trial
from tests.facts import contains_facts
from tests.results import make_result

ERROR = Measure("error rate", "%")


def test_outvoted_rows_are_listed() -> None:
    answer = PredictionErrors(
        classes=("cat", "dog", "owl"),
        listed_rows=np.array([7, 8, 9, 1200]),
        listed_truth=np.array([0, 0, 1, 1]),
        listed_predicted=np.array([0, 1, 1, 1]),
        listed_spread=np.array([0.4, 0.6, 0.6, 0.75]),
        listed_runner_up=np.array([1, 0, 0, 0]),
        listed_dissenters=((1,), (1,), (2, 1), (1,)),
    )
    first, second = facts.find_outvoted_rows(answer, 3)
    # Neither a row misclassified by the majority nor one misclassified by the whole ensemble.
    assert contains_facts(
        f"{first.truth} {first.dissent}", "Row 9 is “dog”", "2 of 3 models", "“cat”"
    )
    assert contains_facts(
        f"{second.truth} {second.dissent}", "Row 1,200 is “dog”", "1 of 3 models", "“cat”"
    )
    assert all(each.pixels is None for each in (first, second))
    assert facts.find_outvoted_rows(PredictionErrors(listed_rows=np.array([1])), 1) == []
    of_two = facts.find_outvoted_rows(replace(answer, classes=("cat", "dog")), 3)[0]
    assert contains_facts(of_two.dissent, "2 of 3 models", "“cat”")
    assert "such as" not in of_two.dissent, "there is one other class"
    assert "such as" in first.dissent and "such as" not in second.dissent, "one model, one answer"
    for each in (first, second, of_two):
        assert max(len(text.split()) for text in (each.truth, each.dissent)) <= 9, "said aloud"
    guessing = facts.find_outvoted_rows(replace(answer, guessing_members=(1,)), 3)
    assert [each.dissent for each in guessing] == [first.dissent], "all 3 members are counted"
    pictures = np.arange(4 * 5 * 5, dtype=np.uint8).reshape(4, 5, 5)
    pictured = facts.find_outvoted_rows(replace(answer, listed_pixels=pictures), 3)
    assert [each.pixels[0, 0] for each in pictured if each.pixels is not None] == [50, 75]


def test_rows_are_described_by_identifier_values() -> None:
    columns = (
        ListedColumn("customer", values=("C-7", "C-8")),
        ListedColumn("fee", "€", (3.5, None)),
    )
    answer = PredictionErrors(
        listed_rows=np.array([7, 8]),
        listed_truth=np.array([0, 0]),
        listed_predicted=np.array([0, 0]),
        listed_spread=np.array([0.6, 0.6]),
        listed_runner_up=np.array([1, 1]),
        listed_dissenters=((1,), (1,)),
        classes=("cat", "dog"),
        listed_columns=columns,
    )
    first, second = facts.find_outvoted_rows(answer, 2)
    assert "Row" not in first.truth
    assert contains_facts(first.values, "customer: C-7", "fee: 3.50")
    assert second.values == "customer: C-8"
    amounts = ListedColumn("fee", "€", (3049.61, None), decimal=",", thousands=".")
    (continental, _) = facts.find_outvoted_rows(replace(answer, listed_columns=(amounts,)), 2)
    assert contains_facts(continental.values, "3.049,61"), "as in the table"


def test_story_shows_test_and_validation_error() -> None:
    result = make_result(test_error_ensemble=0.019, test_rows=360, test_interval=(0.008, 0.04))
    validation_number, tested = facts.get_test_numbers(result, 0.011, ERROR)
    assert (validation_number.value, tested.value) == ("1.1 %", "1.9 %")
    assert "choose it" in validation_number.description and "360 test rows" in tested.description
    beside = replace(result, test_error_guess=0.5, test_error_single=0.038)
    (alone,) = facts.get_test_numbers(beside, None, ERROR)
    assert contains_facts(alone.description, "best single model", "3.8 %", "guessing: 50.0 %")
    unsure, sure = (
        facts.get_test_numbers(replace(beside, difference_interval=each), None, ERROR)[0]
        for each in ((-0.02, 0.01), (-0.02, -0.01))
    )
    assert "chance" in unsure.description and "chance" not in sure.description
    trust = "Trust the test error."
    caption = facts.format_test_caption(result, 0.011, ERROR)
    assert contains_facts(caption, trust, "95 %", "0.8 %", "4.0 %")
    assert facts.format_test_caption(make_result(), None, ERROR).endswith(trust)


def test_story_shows_gap_between_validation_and_test() -> None:
    result = make_result(test_error_ensemble=0.018, test_rows=114, refitted=False)

    def caption(**details: tuple[float, float]) -> str:
        state = Iteration(51, 1, 0.01, 0.02, 0.007, 0.018, details=details)
        return facts.format_gap_caption(result, state, ERROR)

    assert caption() == caption(**{GAP_KEY: (-0.01, 0.03)}) == "", "it may be chance"
    text = caption(**{GAP_KEY: (0.002, 0.02)})
    assert contains_facts(text, "Error rate", "0.7 %", "to choose it", "1.8 %", "test")
    assert contains_facts(text, "Optimism gap", "1.10", "95 %")
    assert facts.format_gap_caption(result, None, ERROR) == ""


def test_story_counts_trials_as_window_does(make_view: Callable[..., RunView]) -> None:
    view = make_view()
    for n in range(1, 7):
        view.trials.append(Trial(n, {}, 0, loss=0.1 if n % 3 else None, cause="c", remedy="r"))
    assert facts.format_search_title(view).startswith("6 trials in ")
    assert contains_facts(facts.format_plot_caption(view), "2 trials")
    assert contains_facts(facts.format_plot_caption(view, None, "36.8 %"), "36.8 %")
    view.iterations = [Iteration(1, 1, 0.4, None, 0.2), Iteration(2, 1, 0.4, None, 0.125)]
    title = facts.format_search_title(view, ERROR)
    assert contains_facts(title, "6 trials", "error rate", "20.0 %", "12.5 %")
    assert contains_facts(facts.format_search_title(view, ERROR, 1), "1 trial", "error rate 20.0 %")
    tested = make_result(test_error_ensemble=0.15)
    over = replace(view, row=replace(view.row, state="finished", result=tested))
    assert contains_facts(facts.format_search_title(over, ERROR), "12.5 %", "test 15.0 %")
    assert "test rows" not in facts.format_plot_caption(view), "there are none in the plot"
    view.trials[:] = view.trials[:1]
    assert facts.format_search_title(view).startswith("1 trial in ")
    assert "Cross" not in facts.format_plot_caption(view)


def test_search_slide_compares_with_best_single_model() -> None:
    result = make_result(test_error_ensemble=0.02, test_error_single=0.018, test_rows=100)
    unsure = replace(result, difference_interval=(-0.02, 0.01))
    text = facts.compare_with_single(unsure, ERROR)
    assert contains_facts(text, "Error rate", "2.0 %", "1.8 %", "chance")
    sure = replace(result, difference_interval=(-0.02, -0.01))
    assert "chance" not in facts.compare_with_single(sure, ERROR)
    assert "chance" in facts.compare_with_single(result, ERROR), "there is no interval"
    equal = replace(result, test_error_single=0.02)
    assert facts.compare_with_single(equal, ERROR).count("2.0 %") == 1
    assert facts.compare_with_single(None, ERROR) == ""


def test_story_shows_method() -> None:
    caption = facts.format_data_caption("a.csv", "y", RunSettings(method="EO-sqm"))
    assert contains_facts(
        caption, "a.csv", "“y”", "Ensemble search", "EO\N{NON-BREAKING HYPHEN}sqm"
    )
    assert "own" in facts.format_data_caption("a.csv", "y", RunSettings(method="own"))


def test_story_of_fork_shows_both_methods() -> None:
    parent = RunSettings(method="first")
    fork = RunSettings(method="second", forked={"run": 1, "iteration": 30})
    caption = facts.format_data_caption("a.csv", "y", fork, parent)
    assert contains_facts(caption, "first", "30", "second")
    assert caption.index("first") < caption.index("30") < caption.index("second")
    same = RunSettings(method="first", forked={"run": 1, "iteration": 30})
    assert "30" not in facts.format_data_caption("a.csv", "y", same, parent)


def test_minority_of_two_models_is_one_model() -> None:
    assert facts.format_outvoted_title(2).startswith("One of 2")
    assert facts.format_outvoted_title(3).startswith("Some")


def test_better_single_model_is_mentioned(make_view: Callable[..., RunView]) -> None:
    behind = make_result(test_error_ensemble=0.035, test_error_single=0.018, test_rows=114)
    for interval, word in (((-0.01, 0.03), "chance"), ((0.01, 0.03), "better"), (None, "")):
        sentence = describe_better_single(replace(behind, difference_interval=interval), ERROR)
        assert all(each in sentence for each in ("est single model", "1.8 %", word))
    for single in (None, 0.035, 0.04):
        assert describe_better_single(replace(behind, test_error_single=single), ERROR) == ""
    score = PlainScore(114, True, 0.965, None, 0.63, weighted=False, tested=True)
    view = make_view(state="finished", result=replace(behind, headline=score))
    view.iterations = [Iteration(1, 1, 0.1)]
    sentence = describe_current_work(view, ERROR, None, 0.0)
    assert contains_facts(sentence, "3.5 %", "Best single model: 1.8 %", "110")
    singles = ["1.8 %" in each for each in describe_briefly(view, ERROR)]
    assert all(singles), "the better model is named in the fewest words, too"
    assert all(ERROR.heading in each for each in describe_briefly(view, ERROR))
    unsure = replace(behind, headline=score, difference_interval=(-0.01, 0.03))
    view = make_view(state="finished", result=unsure)
    view.iterations = [Iteration(1, 1, 0.1)]
    briefly = [text for text in describe_briefly(view, ERROR) if "1.8 %" in text]
    assert briefly and all("chance" in text for text in briefly)


def test_slide_mentions_search_models_without_refit() -> None:
    stored = make_result(kept_bytes=9)
    explain = facts.explain_models_of_search
    assert explain(stored) == explain(replace(stored, refitted=False)) == explain(None) == ""
    assert "search" in explain(replace(stored, kept_bytes=0))


def test_dissent_of_guessing_members_is_ignored() -> None:
    answer = PredictionErrors(
        classes=("3", "5", "6"),
        listed_rows=np.array([7, 8]),
        listed_truth=np.array([1, 1]),
        listed_predicted=np.array([1, 1]),
        listed_spread=np.array([0.6, 0.6]),
        listed_runner_up=np.array([2, 0]),
        listed_dissenters=((1, 2, 3), (3,)),
        guessing_members=(3,),
    )
    (row,) = facts.find_outvoted_rows(answer, 12)
    assert contains_facts(row.dissent, "3 of 12", "“6”"), "the number of the members' slide"


RANKED = RankedHits("Yes", top=50, hits=28, positives=56, beyond_chance=True)
SCORE = PlainScore(640, True, 0.917, None, 0.913, weighted=False, tested=True, ranked=RANKED)
DECIDED = DecisionFigures(
    ("No", "Yes"),
    "Yes",
    0.117,
    count=640,
    method_confusion=ConfusionCounts(
        true_positives=3.0, false_negatives=53.0, false_positives=0.0, true_negatives=584.0
    ),
    threshold_confusion=ConfusionCounts(
        true_positives=39.0, false_negatives=17.0, false_positives=130.0, true_negatives=454.0
    ),
)


def _read_last_slide(score: PlainScore, outcome: DecisionFigures | None) -> tuple[str, str, str]:
    """Return title, large numbers and caption."""
    numbers = facts.get_result_numbers(score, None, outcome)
    title = facts.format_test_title(score, None, outcome)
    values = " ".join(each.value for each in numbers)
    return title, values, facts.format_result_caption(score, None, outcome)


def test_last_slide_starts_with_same_answer_as_result() -> None:
    assert facts.format_test_title(None, None, None).endswith("?")
    for outcome, right in ((None, "587"), (DECIDED, "493")):
        title, values, caption = _read_last_slide(SCORE, outcome)
        answer, details = make_decided_parts(SCORE, None, outcome)
        assert (title, caption) == (translate(answer), translate(details))
        assert contains_facts(title, "50 rows", "28 are “Yes”", "by chance, 4")
        assert values == "28 4", "not the accuracy, which guessing nearly has"
        assert contains_facts(caption, right)
    rare = replace(RANKED, positives=4, hits=3)
    assert _read_last_slide(replace(SCORE, ranked=rare), None)[1] == "3 < 1"


def test_last_slide_counts_rows_of_unranked_classes() -> None:
    unranked = replace(SCORE, ranked=None)
    title, values, _ = _read_last_slide(unranked, None)
    assert values == "587 of 640 584 of 640" and contains_facts(title, "587", "640", "584")
    title, values, _ = _read_last_slide(unranked, DECIDED)
    assert values.startswith("493 of 640 587 of 640") and contains_facts(title, "493", "587", "584")
    assert _read_last_slide(replace(unranked, weighted=True), None)[1] == "91.7 % 91.3 %"


def test_last_slide_shows_regression_errors_with_unit() -> None:
    score = PlainScore(90, False, 60.0, 48.0, 99.0, weighted=False, tested=True, target_unit="€")
    title, values, caption = _read_last_slide(replace(score, guess_middle=96.0), None)
    assert contains_facts(title, *values.split("± ")[1:]) and contains_facts(values, "48", "96")
    assert contains_facts(caption, "90 test rows", "60", "99")
    by_metric = replace(score, metric="Pinball loss", middle=None)
    assert contains_facts(_read_last_slide(by_metric, None)[1], "60", "99")


def test_better_test_error_confirms_validation() -> None:
    result = make_result(test_error_ensemble=0.019, test_rows=360, test_interval=(0.008, 0.04))
    for validation in (0.019, 0.025):
        caption = facts.format_test_caption(result, validation, ERROR)
        assert "confirms" in caption and "optimistic" not in caption
        assert contains_facts(caption, "95 %", "0.8 %", "4.0 %")


def test_story_ranks_positive_class() -> None:
    score = PlainScore(
        rows=250,
        of_classes=True,
        average=0.93,
        middle=None,
        guess=0.92,
        weighted=False,
        tested=True,
        beyond_chance=False,
        ranked=RankedHits("Yes", top=20, hits=11, positives=20, beyond_chance=True),
        ranked_other=RankedHits("No", top=230, hits=221, positives=230, beyond_chance=True),
    )
    hits, chance = facts.get_result_numbers(score, None, None)
    assert (hits.value, chance.value) == ("11", "1.6")
    assert contains_facts(hits.description, "“Yes”", "20 rows")
    assert facts.get_result_numbers(score, "No", None)[0].value == "221"


def test_story_counts_columns_as_in_file(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    lines = [f"{n % 7},{2000 + n % 9}-05-0{1 + n % 9},n{n},{n % 2}" for n in range(40)]
    file.write_text("a,when,left_out,y\n" + "\n".join(lines))
    table = Table.from_raw(read(file), roles={"left_out": "ignore"}, target="y")
    assert len(table.features) > 2, "a date is several columns"
    rows, columns = facts.get_data_numbers(table.to_description())
    assert (rows.value, columns.value) == ("40", "2")


def test_pixel_columns_are_counted_as_image() -> None:
    names = [f"row {row} column {column}" for row in range(1, 7) for column in range(1, 9)]
    columns = [{"name": name, "role": "feature"} for name in names]
    columns[0]["role"] = "ignore"  # always the same
    columns.append({"name": "digit", "role": "target"})
    _, image = facts.get_data_numbers({"n_rows": 9, "columns": columns})
    assert image.value == "8 × 6"


def test_texts_use_singular_and_plural() -> None:
    columns = [{"name": "a", "role": "feature"}, {"name": "y", "role": "target"}]
    one, another = facts.get_data_numbers({"n_rows": 1, "columns": columns})
    assert one.description.startswith("row ") and another.description.startswith("column ")
    share = MemberSegment(3, "Random forest", make_series_ink(0), 1.0, "")
    assert contains_facts(facts.format_members_title((share,)), "One model", "Random forest")
    assert facts.format_members_title((share, share)).startswith("2 models ")


@pytest.mark.parametrize(
    ("n_rows", "positives", "chance"), [(242, 30, "2.5"), (242, 42, "3"), (40, 8, "4")]
)
def test_hits_by_chance_have_same_digits_everywhere(
    n_rows: int, positives: int, chance: str
) -> None:
    # 20 of 242 rows drawn at random contain 2.48 of 30.
    ranked = replace(RANKED, top=20, hits=10, positives=positives)
    score = replace(SCORE, rows=n_rows, ranked=ranked)
    hits = 20 * positives / n_rows
    outcome = ExpectedOutcome(20, 10.6, 7, 15, 0.9, hits, label="Yes")
    texts = (
        make_decided_parts(score, None, None)[0],
        make_brief_headlines(score)[0],
        describe_outcome(outcome),
    )
    assert [re.findall(r"[0-9.]+", translate(each).rstrip("."))[-1] for each in texts] == [
        chance
    ] * 3
    assert facts.get_result_numbers(score, None, None)[-1].value == chance
    assert make_ranking(ranked, n_rows).texts.chance.split()[-1] == chance
