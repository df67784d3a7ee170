"""The diagrams of a study: positions of shapes, and valid SVG."""

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from studio import language
from studio.compare.analysis import compare
from studio.compare.diagrams import REGISTRY, draw_box_plots, draw_diagrams
from studio.compare.outcomes import CellOutcome
from studio.compare.refit import explain_changed_order
from studio.compare.tables.registry import make_tables
from studio.figures.axes import HEIGHT, RIGHT, WIDTH, Axes, choose_ticks, make_end_labels
from studio.figures.shapes import Box, Diagram, Dot, Path, TextLabel, render_svg
from studio.phrases import Phrase, phrase
from tests.facts import contains_facts

METHODS = ("<A&B>", "EO", "BO")


def outcome(method: str, block: str, repetition: int, error: float) -> CellOutcome:
    return CellOutcome(
        run_id=1,
        method=method,
        dataset=block,
        repetition=repetition,
        metric="error",
        unit="%",
        error=error,
        curve=(0.5, 0.5 * error, error),
        trials=3,
        failed=0,
        seconds=1.0,
        suggest_seconds=0.1,
        fit_seconds=0.8,
    )


OUTCOMES = [
    outcome(method, block, repetition, 0.1 * (place + 1) + 0.01 * repetition)
    for block in "abcdefgh"
    for repetition in (1, 2, 3)
    for place, method in enumerate(METHODS)
]
SURE = np.array([[0.5, 0.9, 0.99], [0.1, 0.5, 0.9], [0.01, 0.1, 0.5]])
COMPARISON = compare(
    OUTCOMES, METHODS, {at: dict.fromkeys("abcdefgh", SURE) for at in (1, 2, 3)}, shared=0.2
)
MADE = {each.key: each for each in draw_diagrams(COMPARISON)}


def list_labels(diagram: Diagram) -> list[str]:
    return [each.text for each in diagram.shapes if isinstance(each, TextLabel)]


@pytest.mark.parametrize("blocks", ["a", "abcdefgh"])
def test_equal_curves_are_visible(blocks: str) -> None:
    outcomes = [
        outcome(method, block, repetition, error + 0.01 * repetition)
        for block in blocks
        for repetition in (1, 2, 3)
        for method, error in (("A", 0.1), ("B", 0.2), ("C", 0.1))
    ]
    comparison = compare(outcomes, ["A", "B", "C"], shared=0.2)
    diagrams = {each.key: each for each in draw_diagrams(comparison)}
    diagram = diagrams["rank-over-iterations"]
    assert {"A", "B", "C = A"} <= set(list_labels(diagram))
    lines = [each for each in diagram.shapes if isinstance(each, Path) and each.width == 2.0]
    assert lines[0].points == lines[2].points
    assert [lines[0].dashed, lines[2].dashed] == [False, True], "the one below can be seen"
    assert contains_facts(diagram.caption, "the same")


@pytest.mark.parametrize("diagram", MADE.values(), ids=lambda each: each.key)
def test_diagrams_are_valid_svg(diagram: Diagram) -> None:
    root = ElementTree.fromstring(render_svg(diagram))
    texts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any("<A&B>" in text for text in texts)
    assert diagram.caption.endswith(".")
    for shape in diagram.shapes:
        places = shape.points if isinstance(shape, Path) else [(shape.x, shape.y)]
        assert all(0 <= x <= diagram.width and 0 <= y <= diagram.height for x, y in places)


def test_inapplicable_diagrams_are_omitted() -> None:
    assert len(MADE) == len(REGISTRY) - 1, "the means of eight data sets are illegible"
    alone = [each for each in OUTCOMES if each.method == "EO" and each.dataset == "a"]
    one = compare(alone, ["EO"], shared=0.2)
    assert "critical-difference" not in {each.key for each in draw_diagrams(one)}


def test_critical_difference_diagram_places_ranks_and_bars() -> None:
    diagram = MADE["critical-difference"]
    dots = [each for each in diagram.shapes if isinstance(each, Dot)]
    assert [round(each.x, 6) for each in dots] == sorted(round(each.x, 6) for each in dots)
    assert dots[1].x - dots[0].x == pytest.approx(dots[2].x - dots[1].x)
    # Eight data sets, three methods: q(.05) = 2.343, CD = 2.343·√(3·4/48) = 1.172.
    assert COMPARISON.critical_difference == pytest.approx(1.172, abs=1e-3)
    bars = [each for each in diagram.shapes if isinstance(each, Path) and each.width == 4.0]
    assert len(bars) == 2
    assert {"EO 2.00", "BO 3.00"} <= set(list_labels(diagram))


def test_methods_of_equal_rank_have_separate_dots() -> None:
    outcomes = [
        outcome(method, block, repetition, error)
        for block in "abc"
        for repetition in (1, 2, 3)
        for method, error in (("A", 0.2), ("B", 0.1), ("C", 0.2))
    ]
    diagrams = draw_diagrams(compare(outcomes, "ABC", shared=0.2))
    (diagram,) = [each for each in diagrams if each.key == "critical-difference"]
    dots = sorted(each.x for each in diagram.shapes if isinstance(each, Dot))
    assert all(after - before >= 9.0 for before, after in pairwise(dots))


def test_box_plot_requires_three_repetitions_per_data_set() -> None:
    outcomes = [outcome(name, block, 1, 0.1) for block in "abc" for name in "AB"]
    diagrams = {each.key: each for each in draw_diagrams(compare(outcomes, "AB", shared=0.2))}
    assert "box-plots" not in diagrams
    assert not [text for text in list_labels(diagrams["mean-errors"]) if "mean of" in text]


def test_final_curve_values_equal_table() -> None:
    chance = MADE["probability-over-iterations"]
    lines = [each for each in chance.shapes if isinstance(each, Path) and each.width == 2.0]
    assert len(lines) == 3
    right = WIDTH - max(x for x, _ in lines[0].points)
    axes = Axes((1, 3), (0, 1), "", "named", right_margin=right)
    assert right > RIGHT, "the names fit"
    assert lines[0].points[-1] == (axes.to_x(3), axes.to_y(0.5))
    assert lines[2].points[-1][1] > axes.to_y(0.1)
    ranked = MADE["rank-over-iterations"]
    best = next(each for each in ranked.shapes if isinstance(each, Path) and each.width == 2.0)
    assert best.points[0][1] > best.points[-1][1]


def test_mean_error_diagram_shows_absolute_errors_and_significance() -> None:
    noise = (0.0, 0.02, -0.02, 0.01, -0.01)
    outcomes = [
        outcome(method, "a", repetition, error + (noise[repetition - 1] if method in "AC" else 0))
        for repetition in range(1, 6)
        for method, error in (("A", 0.3), ("B", 0.05), ("C", 0.055))
    ]
    comparison = compare(outcomes, "ABC", shared=0.2)
    (diagram,) = [each for each in draw_diagrams(comparison) if each.key == "mean-errors"]
    texts = list_labels(diagram)
    assert contains_facts(texts[0], "Error rate", "a", "5 repetitions")
    assert [each for each in texts if each in {"A", "B", "C"}] == ["B", "C", "A"]
    assert [each for each in texts if each.endswith(" %")] == ["5.0 %", "5.5 %", "30.0 %"]
    lowest, close, higher = texts[3::3]
    assert (lowest, higher) == ("lowest", "clearly higher") and contains_facts(close, "chance")
    bars = [each for each in diagram.shapes if isinstance(each, Box)]
    assert bars[2].width == pytest.approx(6 * bars[0].width)


def test_error_rate_intervals_are_bounded_by_one() -> None:
    outcomes = [
        outcome("A", "a", repetition, error) for repetition, error in enumerate((0.05, 0.4, 0.9), 1)
    ]
    comparison = compare(outcomes, "A", shared=0.2)
    interval = comparison.errors["a"]["A"]
    assert (interval.low, interval.high) == (0.0, 1.0)
    values = [replace(each, metric="rmse", unit="") for each in outcomes]
    assert compare(values, "A", shared=0.2).errors["a"]["A"].high > 1.0
    outcomes += [outcome("B", "a", repetition, 0.1) for repetition in range(1, 4)]
    outcomes += [outcome("A", "b", repetition, 0.1) for repetition in range(1, 4)]
    comparison = compare(outcomes, "AB", shared=0.2)
    (diagram,) = [each for each in draw_diagrams(comparison) if each.key == "mean-errors"]
    assert list_labels(diagram).count("lowest") == 1, "on the data set that both have finished"


def test_tied_mean_errors_are_marked_with_legend_for_lines() -> None:
    for noise, legend in ((0.0, False), (0.01, True)):
        outcomes = [
            outcome(method, "a", repetition, error + noise * repetition)
            for repetition in range(1, 4)
            for method, error in (("A", 0.05), ("B", 0.05), ("C", 0.2))
        ]
        comparison = compare(outcomes, "ABC", shared=0.2)
        (diagram,) = [each for each in draw_diagrams(comparison) if each.key == "mean-errors"]
        texts = list_labels(diagram)
        assert texts.count("tied for lowest") == 2 and "lowest" not in texts
        bold = [each.text for each in diagram.shapes if isinstance(each, TextLabel) and each.bold]
        assert {"A", "B"} <= set(bold) and "C" not in bold
        assert ("95 % interval" in texts) is legend is ("intervals" in diagram.caption)


@pytest.mark.parametrize("n_repetitions", [1, 2])
def test_missing_interval_of_few_repetitions_is_explained(n_repetitions: int) -> None:
    outcomes = [
        outcome(method, "a", repetition, error + 0.01 * repetition)
        for repetition in range(1, n_repetitions + 1)
        for method, error in (("A", 0.05), ("B", 0.1))
    ]
    comparison = compare(outcomes, "AB", shared=0.2)
    (diagram,) = [each for each in draw_diagrams(comparison) if each.key == "mean-errors"]
    assert list_labels(diagram)[-1] == "95 % interval: from 3 repetitions on"
    assert not any(isinstance(each, Path) for each in diagram.shapes)


def test_box_plot_requires_three_repetitions() -> None:
    outcomes = [outcome(method, "a", r, 0.1 * r) for r in (1, 2) for method in "AB"]
    assert draw_box_plots(compare(outcomes, "AB", shared=0.2)) is None


def test_methods_and_ranks_in_diagrams_are_localised() -> None:
    outcomes = [
        outcome(method, block, repetition, error + 0.01 * repetition)
        for block in "abc"
        for repetition in range(1, 4)
        for method, error in (("RS", 0.05), ("EO-post", 0.1))
    ]
    comparison = compare(outcomes, ("RS", "EO-post"), shared=0.2)
    diagram_by_key = {each.key: each for each in draw_diagrams(comparison)}
    try:
        language.set_process_language("fr")
        ranks, errors = (
            [
                language.translate_figures(each.text)
                for each in diagram_by_key[key].shapes
                if isinstance(each, TextLabel)
            ]
            for key in ("critical-difference", "mean-errors")
        )
    finally:
        language.set_process_language(language.ENGLISH)
    assert "RS 1,00" in ranks and "EO-post 2,00" in ranks
    assert not any(each.startswith("Random search") for each in errors)


def test_diagram_texts_are_translatable() -> None:
    text = phrase("critical difference {difference:.2f}", difference=1.5)
    assert isinstance(TextLabel(0, 0, text).fit_text(len), Phrase)


def test_boxes_span_quartiles() -> None:
    boxes = [each for each in MADE["box-plots"].shapes if isinstance(each, Box)]
    assert len(boxes) == 3
    assert all(each.height >= 0 and each.y + each.height < HEIGHT for each in boxes)
    assert boxes[0].y > boxes[1].y > boxes[2].y


def test_tie_after_refit_is_not_another_order() -> None:
    """Errors that are equal as displayed have no order, before the refit or after it."""
    for final, before in (((0.31891, 0.31889), (0.31, 0.33)), ((0.31, 0.33), (0.31891, 0.31889))):
        outcomes = [
            replace(outcome(name, "d", r, after + r / 1000), curve=(0.5, searched), trials=2)
            for r in (1, 2, 3)
            for name, after, searched in zip("AB", final, before, strict=True)
        ]
        assert not explain_changed_order(compare(outcomes, "AB", shared=0.2, is_refitted=True))


def test_line_labels_keep_aspect_ratio() -> None:
    shapes = make_end_labels(
        ("A", "B"), ("text", "muted"), ((700.0, 100.0), (700.0, 101.0)), 0.0, 300.0
    )
    names = [each for each in shapes if isinstance(each, TextLabel)]
    leaders = [each for each in shapes if isinstance(each, Path)]
    assert all(each.colour == "muted" and each.width < 1 for each in leaders), "they are not data"
    assert all(each.points[0][0] > 700 for each in leaders)
    assert [each.text for each in names] == ["A", "B"]
    assert names[1].y - names[0].y >= names[0].size
    diagram = Diagram("d", "", "", 720.0, 300.0, tuple(shapes)).stretch(2.0)
    assert diagram.width == 1440.0
    assert [(each.x, each.size) for each in diagram.shapes if isinstance(each, TextLabel)] == [
        (2 * each.x, each.size) for each in names
    ]


def test_whiskers_stay_outside_boxes() -> None:
    far = {
        1: 0.05,
        4: 0.9,
    }  # Its third quartile lies between the outlier and the largest other value.
    outcomes = [
        outcome(method, "a", r, far.get(r, 0.1) if method == "A" else 0.5)
        for r in range(1, 5)
        for method in "AB"
    ]
    shapes = draw_box_plots(compare(outcomes, "AB", shared=0.2)).shapes
    box = next(each for each in shapes if isinstance(each, Box))
    stems = [
        sorted(y for _, y in each.points)
        for each in shapes
        if isinstance(each, Path) and each.width == 1.5
    ]
    assert not any(box.y < middle < box.y + box.height for stem in stems[:2] for middle in stem)
    names = [each for each in shapes if isinstance(each, TextLabel) and each.text in {"A", "B"}]
    assert len({each.y for each in names}) == 1


def test_diagram_ticks_are_round() -> None:
    assert choose_ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert choose_ticks(1, 3) == [1.0, 1.5, 2.0, 2.5, 3.0]
    assert choose_ticks(5, 5) == [5]
    assert choose_ticks(0.0, 40.0, 4) == [0.0, 10.0, 20.0, 30.0, 40.0]
    assert choose_ticks(33.0, 61.0, 4) == [40.0, 50.0, 60.0]


def test_curve_and_bars_name_their_models() -> None:
    """The order of the search's models need not be that of the refitted ones."""
    final = {"A": 0.3189, "B": 0.3117}
    before = {"A": (0.5, 0.3232), "B": (0.8, 0.3355)}
    outcomes = [
        replace(outcome(name, "d", r, final[name] + r / 1000), curve=before[name], trials=2)
        for r in (1, 2, 3)
        for name in final
    ]
    comparison = compare(outcomes, "AB", shared=0.2, is_refitted=True)
    diagram_by_key = {each.key: each for each in draw_diagrams(comparison)}
    assert "final models" in " ".join(list_labels(diagram_by_key["mean-errors"]))
    curve = diagram_by_key["rank-over-iterations"]
    assert any("before the refit" in each for each in list_labels(curve))
    assert contains_facts(curve.remark, "A", "32.09", "B", "31.37")
    table = next(t for t in make_tables(comparison, outcomes) if t.key == curve.key)
    assert [[cell.text for cell in row[-2:]] for row in table.rows] == [
        ["32.32", "32.09"],
        ["33.55", "31.37"],
    ]
    assert contains_facts(explain_changed_order(comparison), "A", "32.32", "B", "33.55")
    as_fitted = compare(outcomes, "AB", shared=0.2)
    diagram_by_key = {each.key: each for each in draw_diagrams(as_fitted)}
    assert not diagram_by_key["rank-over-iterations"].remark
    assert not any("refit" in each for one in diagram_by_key.values() for each in list_labels(one))
    assert not explain_changed_order(as_fitted)
