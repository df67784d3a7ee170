"""Display of dates in the style of their column."""

import pytest

from studio.data.dates import SECONDS_PER_DAY, DateFormat, detect_date_style, format_date


@pytest.mark.parametrize(
    ("cells", "order", "written"),
    [
        (["", "24.03.2025", "05.06.2024"], "day-first", "05.06.2024"),
        (["24/3/2025"], "day-first", "05/06/2024"),
        (["3/24/25"], "month-first-short", "06/05/24"),
        (["2025/03/24 18:30"], "year-first", "2024/06/05"),
        (["03/2025"], "month-year", "06/2024"),
        (["24 March 2025"], "day-first", "2024-06-05"),
        (["20250324"], "compact", "2024-06-05"),
        (["25-03-24"], "year-first-short", "24-06-05"),
        (["2025-W13"], "week", "2024-06-05"),
    ],
)
def test_date_is_formatted_in_style_of_column(cells, order, written):
    date_format = DateFormat(order, has_words="March" in cells[0])
    column = detect_date_style(cells, date_format)
    (moment,) = DateFormat("year-first").parse(["2024-06-05"])
    assert format_date(column, moment / SECONDS_PER_DAY) == written
    assert format_date(column, moment / SECONDS_PER_DAY + 0.75).removeprefix(written) in {
        " 18:00",
        " 18:00:00",
    }
    read = column.format.parse([written])[0]
    assert read == (moment - 4 * SECONDS_PER_DAY if order == "month-year" else moment)
