"""Common formats for numbers shown together."""

import pytest

from studio.language import format_range


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2019.0, 2024.0, ("2019", "2024")),
        (1060.0, 40260.0, ("1,060", "40,260")),
        (0.5, 8370.0, ("0.5", "8,370")),
    ],
)
def test_range_bounds_have_common_format(
    low: float, high: float, expected: tuple[str, str]
) -> None:
    assert format_range(low, high) == expected
