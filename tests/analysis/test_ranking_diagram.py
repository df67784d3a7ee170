"""Figure of a ranking: number of dots, filled hits, and the curve."""

import pytest

from studio.figures.ranking import Ranking, RankingText, make_ranking_diagram
from studio.figures.shapes import Dot, Path

WORDS = RankingText("hits", "chance", "handled", "found", "A ranking")
GAINS = ((0.0, 0.0), (0.1, 0.4), (0.5, 0.8), (1.0, 1.0))


def dots(found: Ranking) -> tuple[int, int, int, int]:
    """Return all and filled dots of the ranking, and of chance."""
    dot_shapes = [each for each in make_ranking_diagram(found).shapes if isinstance(each, Dot)]
    lines = [[e for e in dot_shapes if e.colour == role] for role in ("series 5", "muted")]
    counts = [n for line in lines for n in (len(line), sum(e.alpha == 1 for e in line))]
    return counts[0], counts[1], counts[2], counts[3]


def test_ranking_diagram_fills_dots_of_hits() -> None:
    assert dots(Ranking(600, 50, 28, 7.6, (), WORDS)) == (50, 28, 50, 8)


def test_height_of_ranking_diagram_without_curve_fits_dots() -> None:
    with_curve, without = (
        make_ranking_diagram(Ranking(600, 20, 20, 7, gains, WORDS)) for gains in (GAINS, ())
    )
    assert without.height < 0.8 * with_curve.height
    assert all(e.y + e.radius < without.height for e in without.shapes if isinstance(e, Dot))


@pytest.mark.parametrize("width", [320.0, 720.0, 1000.0])
def test_dots_without_curve_are_side_by_side(width: float) -> None:
    diagram = make_ranking_diagram(Ranking(300, 300, 216, 93, (), WORDS), width)
    hits, chance = (
        [each for each in diagram.shapes if isinstance(each, Dot) and each.colour == role]
        for role in ("series 5", "muted")
    )
    assert {each.y for each in hits} == {each.y for each in chance}
    assert max(each.x + each.radius for each in hits) < min(e.x - e.radius for e in chance)
    assert max(each.x + each.radius for each in chance) <= width
    assert diagram.height == make_ranking_diagram(Ranking(300, 300, 9, 1, (), WORDS)).height


def test_ranking_dot_represents_several_rows_of_large_table() -> None:
    assert dots(Ranking(6000, 200, 100, 20, (), WORDS)) == (50, 25, 50, 5)


@pytest.mark.parametrize(
    ("top", "share"), [(60, 0.4), (180, 0.6), (600, 1.0), (20, 0.01), (180, 0.5)]
)
def test_ranking_curve_marks_share_of_selected_rows(top: int, share: float) -> None:
    shapes = make_ranking_diagram(Ranking(600, top, 100 * share, top / 6, GAINS, WORDS)).shapes
    curve = next(e for e in shapes if isinstance(e, Path) and e.colour == "series 5")
    (left_x, foot), (right, head) = curve.points[0], curve.points[-1]
    dot = shapes[-3]
    assert isinstance(dot, Dot)
    assert (dot.x - left_x) / (right - left_x) == pytest.approx(top / 600)
    assert (dot.y - foot) / (head - foot) == pytest.approx(share)
    assert (dot.x, dot.y) in curve.points
    heights = [y for _, y in sorted(curve.points)]
    assert heights == sorted(heights, reverse=True), "it never falls"
