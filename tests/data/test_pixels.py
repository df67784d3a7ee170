"""Images in a table, recognised by the names of its columns."""

import pytest

from studio.data.pixels import find_pixels


def grid(form: str, height: int, width: int, begin: int = 0) -> list[str]:
    return [
        form.format(row + begin, column + begin) for row in range(height) for column in range(width)
    ]


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        (grid("row {} column {}", 8, 8, 1), (8, 8)),
        (grid("{}x{}", 28, 28, 1), (28, 28)),
        (grid("pixel_{}_{}", 6, 9), (6, 9)),
        (grid("r{}c{}", 5, 5), (5, 5)),
        ([f"pixel{at}" for at in range(784)], (28, 28)),
        ([f"p{at}" for at in range(1, 257)], (16, 16)),
    ],
)
def test_pixels_are_recognised_by_names(names: list[str], shape: tuple[int, int]) -> None:
    pixels = find_pixels(["id", *names, "label"])
    assert pixels is not None
    assert (pixels.height, pixels.width) == shape
    assert pixels.positions.tolist() == [-1, *range(len(names)), -1]


def test_pixel_columns_may_have_any_order() -> None:
    names = grid("{}x{}", 5, 5)
    pixels = find_pixels(names[::-1])
    assert pixels is not None
    assert pixels.positions.tolist() == list(range(24, -1, -1))


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["a", "b"],
        [f"x{at}" for at in range(64)],
        [f"sensor {at} day {day}" for at in range(8) for day in range(8)],
        [f"pixel{at}" for at in range(60)],
        grid("row {} column {}", 8, 8)[:-1],
        grid("{}x{}", 4, 4),
        [f"pixel{2 * at}" for at in range(64)],
    ],
)
def test_other_columns_are_not_pixels(names: list[str]) -> None:
    assert find_pixels(names) is None
