"""The tables of a study and their formats, compared with manual entries."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from studio import language
from studio.cli.compare import _format_ranks
from studio.compare.analysis import compare
from studio.compare.diagrams import draw_diagrams
from studio.compare.outcomes import CellOutcome
from studio.compare.statistics.intervals import Interval
from studio.compare.statistics.two_methods import (
    compute_cliffs_delta,
    compute_rank_biserial,
    run_wilcoxon_test,
)
from studio.compare.tables.errors import make_runs_table
from studio.compare.tables.ranks import make_algorithms_table, make_costs_table
from studio.compare.tables.registry import make_tables
from studio.compare.tables.table import (
    ResultTable,
    TableCell,
    choose_error_format,
    format_error,
    format_error_phrase,
    format_interval,
    format_rank_interval,
    render_csv,
    render_latex,
    render_markdown,
)
from studio.measure import Measure
from studio.numerals import NumeralFormat
from tests.facts import contains_facts


@pytest.mark.parametrize("errors", [(64 / 240, 62 / 240), (62 / 240, 64 / 240)])
def test_tie_is_rounded_alike_everywhere(errors: tuple[float, float]) -> None:
    mean, number_format = float(np.mean(errors)), NumeralFormat(1)
    assert f"{100 * mean:.1f}" == "26.2", "Python rounds to even"
    assert format_error(mean, "%", number_format) == "26.3"
    assert format_error_phrase(mean, "%", number_format) == "26.3 %"
    assert Measure().format_briefly(mean) == "26.3 %"
    ends = Interval(0.25, 0.125, 0.375)
    assert format_interval(ends, "target", NumeralFormat(2)) == "[0.13, 0.38]"
    assert format_rank_interval(Interval(1.5, 1.125, 1.875)) == "[1.13, 1.88]"


def outcome(method: str, block: str, repetition: int, error: float) -> CellOutcome:
    return CellOutcome(
        run_id=1,
        method=method,
        dataset=block,
        repetition=repetition,
        metric="error",
        unit="%",
        error=error,
        curve=(2 * error, error),
        trials=2,
        failed=0,
        seconds=1.0,
        suggest_seconds=0.1,
        fit_seconds=0.8,
        algorithms={"svm": (0.75, 1.0), "tree": (0.25, 0.0)},
    )


OUTCOMES = [
    outcome(method, block, repetition, base + step * repetition)
    for block in ("car_1", "digits")
    for repetition in range(1, 7)
    for method, base, step in (("good & fast", 0.02, 0.01), ("BO", 0.043, 0.0092))
]
COMPARISON = compare(OUTCOMES, ["good & fast", "BO"], shared=0.2)


def test_runs_table_has_full_precision() -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(make_runs_table(OUTCOMES)))))
    assert len(rows) == len(OUTCOMES)
    assert {(row["data set"], row["method"], int(row["repetition"])) for row in rows} == {
        (each.dataset, each.method, each.repetition) for each in OUTCOMES
    }
    for row, each in zip(rows, OUTCOMES, strict=True):
        assert float(row["test error"]) == pytest.approx(each.error, rel=1e-11)


def test_timed_out_trials_are_counted_separately() -> None:
    run = replace(OUTCOMES[0], trials=8, failed=1, unfinished=2)
    (row,) = csv.DictReader(io.StringIO(render_csv(make_runs_table([run]))))
    assert (row["failed"], row["not finished"]) == ("1", "2")
    others = [each for each in OUTCOMES if each.method != run.method]
    (cost, _) = make_costs_table(COMPARISON, [run, *others]).rows
    assert [cell.text for cell in cost][3:5] == ["12.5 %", "25.0 %"]


def table(key: str) -> ResultTable:
    return next(each for each in make_tables(COMPARISON, OUTCOMES) if each.key == key)


def test_errors_are_compared_with_constant_prediction() -> None:
    def remarks(guess: float, blocks: tuple[str, ...]) -> str:
        outcomes = [replace(each, guess=guess) for each in OUTCOMES if each.dataset in blocks]
        tables = make_tables(compare(outcomes, ["good & fast", "BO"], shared=0.2), outcomes)
        return "\n".join(next(each for each in tables if each.key == "errors").remarks)

    assert contains_facts(
        remarks(0.01, ("car_1", "digits")), "car_1: no method", "digits: no method", "1.00 %"
    )
    assert contains_facts(remarks(0.5, ("digits",)), "digits: always", "50.00 %")
    assert "always" not in remarks(0.5, ("car_1", "digits"))


def compute_ranks(outcomes: list[CellOutcome]) -> ResultTable:
    tables = make_tables(compare(outcomes, ["good & fast", "BO"], shared=0.2), outcomes)
    return next(each for each in tables if each.key == "ranks")


def test_best_and_significantly_worse_methods_are_marked() -> None:
    row = table("errors").rows[0]
    assert [cell.text for cell in row] == ["car_1 (%)", "6", "5.50", "7.52"]
    assert (row[2].is_best, row[2].worse) == (True, False)
    # Differences .0222, .0214, …, .0182: mean .0202, s = .0008 √3.5, and 1/6 + 0.2/0.8 = 5/12.
    t = 0.0202 / (0.0008 * np.sqrt(3.5) * np.sqrt(5 / 12))
    assert COMPARISON.p_against_best["car_1"]["BO"] == pytest.approx(2 * stats.t.sf(t, 5))
    assert (row[3].is_best, row[3].worse) == (False, True)


def test_pair_table_shows_effects_and_marks() -> None:
    pair = COMPARISON.pairs[0]
    assert pair.effect == 1.0
    # Of 36 pairs of repetitions 6 + 5 + 4 + 3 (x + .02 < y), ties 4: (26 − 6) / 36.
    first = np.array([0.03, 0.04, 0.05, 0.06, 0.07, 0.08])
    expected_delta = np.mean([np.sign(round(y - x, 9)) for x in first for y in first + 0.02])
    assert pair.cliffs_delta == pytest.approx(expected_delta, abs=0.06)
    wins = table("wins")
    assert [cell.text for cell in wins.rows[0]] == ["good & fast", "·", "100 %"]
    assert [cell.text for cell in wins.rows[1]] == ["BO", "0 %", "·"]
    assert wins.rows[1][1].note == ""


@pytest.mark.parametrize(("blocks", "few"), [(7, True), (8, False)])
def test_friedman_of_few_data_sets_is_omitted(blocks: int, few: bool) -> None:
    rng = np.random.default_rng(0)
    outcomes = [
        outcome(method, f"block {block}", repetition, float(rng.random()))
        for block in range(blocks)
        for repetition in (1, 2, 3)
        for method in ("A", "B", "C")
    ]
    tables = make_tables(compare(outcomes, ["A", "B", "C"], shared=0.2), outcomes)
    after_message = [remark for each in tables for remark in each.remarks]
    assert any("Friedman" in each for each in after_message)
    assert any("Iman–Davenport" in each for each in after_message) is not few


def test_two_data_sets_have_wins_without_rank_tests() -> None:
    outcomes = [
        outcome(method, block, repetition, error)
        for block in ("one", "two")
        for repetition in (1, 2, 3)
        for method, error in (("A", 0.2), ("B", 0.1), ("C", 0.2))
    ]
    comparison = compare(outcomes, ["A", "B", "C"], shared=0.2)
    assert (comparison.friedman, comparison.critical_difference) == (None, None)
    ranks = next(each for each in make_tables(comparison, outcomes) if each.key == "ranks")
    assert ranks.headers[1] == "net wins"
    assert [(row[1].text, row[1].is_best) for row in ranks.rows] == [
        ("-2", False),
        ("+4", True),
        ("-2", False),
    ]
    assert contains_facts(ranks.remarks[0], "2 data sets", "at least 3")


@pytest.mark.parametrize(("n_blocks", "mark"), [(2, ""), (3, "***")])
def test_leads_over_two_data_sets_have_no_marks(n_blocks: int, mark: str) -> None:
    outcomes = [
        outcome(method, f"block {block}", repetition, error)
        for block in range(n_blocks)
        for repetition in (1, 2, 3)
        for method, error in (("A", 0.1), ("B", 0.2))
    ]
    comparison = compare(outcomes, ["A", "B"], shared=0.2)
    pair = replace(comparison.pairs[0], probability_better=0.99)
    comparison = replace(comparison, pairs=(pair,))
    tables = {each.key: each for each in make_tables(comparison, outcomes)}
    assert tables["wins"].rows[0][2].note == mark
    assert tables["pairs"].rows[0][4].note == (f"{mark} A" if mark else "")
    p_values = {cell.text for cell in tables["pairs"].rows[0][5:8]}
    assert (p_values == {"–"}) is not bool(mark), "too few data sets for tests"


def test_one_data_set_has_errors_without_ranks() -> None:
    one = [each for each in OUTCOMES if each.dataset == "car_1"]
    comparison = compare(one, ["good & fast", "BO"], shared=0.2)
    tables = {each.key: each for each in make_tables(comparison, one)}
    assert not {"ranks", "wins", "pairs"} & tables.keys()
    assert {"errors", "differences"} <= tables.keys()
    assert tables["rank-over-iterations"].rows[0][-1].text == "5.50", "its mean error in per cent"
    assert "rank" not in "".join(f"{each.title}{each.caption}" for each in tables.values())
    (diagram,) = (d for d in draw_diagrams(comparison) if d.key == "rank-over-iterations")
    assert "rank" not in diagram.title


def test_errors_in_one_row_have_equal_precision() -> None:
    outcomes = [
        replace(each, unit="target", metric="rmse", error=0.344 if each.method == "BO" else 0.3517)
        for each in OUTCOMES
    ]
    tables = {
        t.key: t
        for t in make_tables(compare(outcomes, ["good & fast", "BO"], shared=0.2), outcomes)
    }
    assert [each.text for each in tables["errors"].rows[0][2:]] == ["0.3517", "0.3440"]
    assert tables["differences"].rows[0][1].text == "0.0077"


def test_rank_table_of_several_data_sets_uses_final_ranks() -> None:
    ranks = compute_ranks([replace(each, curve=(each.error,) * 15) for each in OUTCOMES])
    assert "the 2 data sets" in ranks.caption
    assert "data sets. Last 15" in ranks.caption
    assert "last 15" in ranks.headers


def test_terminal_prints_ranks_of_report() -> None:
    # By repetition they differ: B wins each data set by one clear repetition, A the others.
    errors = {"A": (0.20, 0.20, 0.50), "B": (0.21, 0.21, 0.10), "C": (0.6, 0.6, 0.6)}
    outcomes = [
        outcome(method, block, repetition, error)
        for block in ("one", "two", "three")
        for method, values in errors.items()
        for repetition, error in enumerate(values, 1)
    ]
    comparison = compare(outcomes, list(errors), shared=0.2)
    (ranks,) = (each for each in make_tables(comparison, outcomes) if each.key == "ranks")
    mean, by_repetition = (
        list(ranks.headers).index(name) for name in ("mean rank", "by repetition")
    )
    lines = _format_ranks(comparison)
    for line, row in zip(lines, ranks.rows, strict=True):
        assert line.split()[0] == row[0].text
        assert f"mean rank {row[mean].text} " in line
        assert f"by repetition {row[by_repetition].text}" in line
    assert [row[mean].text for row in ranks.rows] == ["2.00", "1.00", "3.00"]
    assert ranks.rows[0][by_repetition].text == "1.33"
    assert _format_ranks(compare(outcomes[:9], list(errors), shared=0.2)) == []


def test_tables_show_final_ranks_and_algorithms() -> None:
    assert COMPARISON.late_ranks == (1.0, 2.0)
    assert table("algorithms").rows[0][1:] == (
        TableCell("75 %", note="(100 %)"),
        TableCell("25 %", note="(0 %)"),
    )


def test_algorithm_of_two_tasks_has_one_column() -> None:
    """Its learners for classification and regression have the same name."""
    learners = ("adaboost", "adaboost-regressor")
    outcomes = [
        replace(each, algorithms={key: (1.0, 1.0), "knn": (0.0, 0.0)})
        for each in OUTCOMES
        for key in learners
    ]
    algorithms_table = make_algorithms_table(COMPARISON, outcomes)
    assert algorithms_table is not None
    assert len(set(algorithms_table.headers)) == len(algorithms_table.headers) == 3
    assert [cell.text for cell in algorithms_table.rows[0][1:]] == ["100 %", "0 %"]


def test_short_times_of_suggestions_are_not_rounded_to_zero() -> None:
    outcomes = [replace(each, suggest_seconds=0.0084) for each in OUTCOMES]
    cells = [cell.text for cell in make_costs_table(COMPARISON, outcomes).rows[0]]
    assert cells[5] == "0.0084 (0.0084–0.0084)"
    assert 0 < float(cells[6]) < 0.0084


def test_cost_table_shows_median_and_quartiles() -> None:
    durations = (1.0, 2.0, 3.0, 4.0, 10.0)
    costs_table = make_costs_table(
        COMPARISON, [replace(each, suggest_seconds=k) for each in OUTCOMES[:2] for k in durations]
    )
    assert [cell.text for cell in costs_table.rows[1]][5:7] == ["3.0 (2.0–4.0)", "2.0"]


def test_pair_table_shows_effect_sizes() -> None:
    test = run_wilcoxon_test(np.array([-3.0, -2.0, 1.0, -4.0]))
    assert compute_rank_biserial(test) == pytest.approx((9 - 1) / 10)
    assert compute_rank_biserial(run_wilcoxon_test(np.zeros(3))) == 0.0
    assert compute_cliffs_delta(np.array([1.0, 2.0]), np.array([2.0, 3.0])) == 3 / 4
    assert compute_cliffs_delta(np.array([1.0]), np.array([1.0])) == 0.0


SAMPLE = ResultTable(
    "t",
    "A title",
    "100 % of a_b & c.",
    ("data", "=sum(1)"),
    (
        (TableCell("x|y"), TableCell("4.2", is_best=True, note="[3, 5]")),
        (TableCell("-z"), TableCell("9", worse=True)),
    ),
    ("Done.",),
)


def test_markdown_shows_marks_and_escapes_names() -> None:
    text = render_markdown(SAMPLE)
    assert "| x\\|y | **4.2** [3, 5] |" in text
    assert "| -z | <u>9</u> |" in text
    assert "100 % of a\\_b & c." in text
    assert text.endswith("- Done.")


def test_latex_escapes_every_text() -> None:
    text = render_latex(SAMPLE)
    assert r"\caption{A title. 100 \% of a\_b \& c." in text
    assert r"x|y & \textbf{4.2} {\scriptsize [3, 5]} \\" in text
    assert r"\underline{9}" in text
    assert text.count("\\toprule") == text.count("\\bottomrule") == 1
    hostile_table = ResultTable("t", r"\input{x}", "", ("a",), ((TableCell("$x$"),),))
    assert r"\textbackslash{}input\{x\}" in render_latex(hostile_table)


def test_csv_has_note_columns_and_no_formulas() -> None:
    rows = list(csv.reader(io.StringIO(render_csv(SAMPLE))))
    assert rows == [
        ["data", "'=sum(1)", "'=sum(1) note"],
        ["x|y", "4.2", "[3, 5]"],
        ["'-z", "9", ""],
    ]


def test_csv_numbers_are_parsed_as_numbers() -> None:
    columns = (
        ("share", ["-26.3 %", "+17.8 %", "–"], [-26.3, 17.8, np.nan]),
        ("effect", ["+1.00", "-0.50", "1,234.5"], [1.0, -0.5, 1234.5]),
        ("formula", ["-1+2", "–", "+a"], None),
    )
    rows = zip(*(texts for _, texts, _ in columns), strict=True)
    result_table = ResultTable(
        "t",
        "",
        "",
        tuple(name for name, *_ in columns),
        tuple(tuple(map(TableCell, r)) for r in rows),
    )
    frame = pd.read_csv(io.StringIO(render_csv(result_table)))
    for name, (_, _, expected_numbers) in zip(frame, columns, strict=True):
        if expected_numbers is not None:
            np.testing.assert_array_equal(frame[name].to_numpy(dtype=float), expected_numbers)
    assert frame["formula"].dropna().tolist() == ["'-1+2", "'+a"]
    assert "%" in frame.columns[0]


@pytest.mark.parametrize("made", make_tables(COMPARISON, OUTCOMES), ids=lambda each: each.key)
def test_result_tables_are_complete_and_writable(made: ResultTable) -> None:
    assert all(len(row) == len(made.headers) for row in made.rows)
    assert made.caption.endswith(".")
    assert render_markdown(made).count("\n| ") == len(made.rows) + 2
    assert render_latex(made).count(r" \\") == len(made.rows) + 1
    assert len(list(csv.reader(io.StringIO(render_csv(made))))) == len(made.rows) + 1


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [(0.3772, "%", "37,7"), (44706.2, "", "44"), (0.51234, "", "0,5123")],
)
def test_error_in_sentence_is_localised(value: float, unit: str, written: str) -> None:
    how = choose_error_format([value], unit)
    sentence = format_error_phrase(value, unit, how)
    assert sentence.startswith(format_error(value, unit, how))
    try:
        language.set_process_language("fr")
        assert language.translate(sentence).startswith(written)
        assert "." not in language.translate(sentence)
    finally:
        language.set_process_language(language.ENGLISH)


@pytest.mark.parametrize(
    ("errors", "unit", "half_width", "written"),
    [
        ((0.1767, 0.0611), "%", 0.29, ["18", "6"]),
        ((0.1767, 0.0611), "%", 0.0167, ["17.7", "6.1"]),
        ((0.1767, 0.0611), "%", 0.00167, ["17.67", "6.11"]),
        ((0.1767, 0.0611), "%", np.inf, ["17.7", "6.1"]),
        ((0.0667,), "%", np.inf, ["6.67"]),
        ((94.05, 65.4), "", 11.5, ["94", "65"]),
        ((0.3189, 0.3117), "", 0.0052, ["0.3189", "0.3117"]),
        ((0.3189, 0.3117), "", 1e-6, ["0.3189", "0.3117"]),
    ],
)
def test_errors_have_two_digits_of_their_uncertainty(
    errors: tuple[float, ...], unit: str, half_width: float, written: list[str]
) -> None:
    number_format = choose_error_format(errors, unit, half_width)
    assert [format_error(each, unit, number_format) for each in errors] == written
