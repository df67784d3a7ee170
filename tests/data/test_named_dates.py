"""Months of further languages, and weeks and days of a year recognised by the column's name."""

import pickle
from datetime import date, datetime, time, timedelta

import numpy as np
import pandas as pd
import pytest

from studio.data.date_guess import guess_dates
from studio.data.dates import DateFormat
from studio.data.findings import describe_by_choice
from studio.export.preprocessing import RawColumn, make_matrix_transformer

N = 60
ARABIC = ["يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر",
          "نوفمبر", "ديسمبر"]  # fmt: skip
HEBREW = ["ינואר", "פברואר", "מרץ", "אפריל", "מאי", "יוני", "יולי", "אוגוסט", "ספטמבר", "אוקטובר",
          "נובמבר", "דצמבר"]  # fmt: skip
LITHUANIAN = ["sausio", "vasario", "kovo", "balandžio", "gegužės", "birželio", "liepos",
              "rugpjūčio", "rugsėjo", "spalio", "lapkričio", "gruodžio"]  # fmt: skip
LATVIAN = ["janvāris", "februāris", "marts", "aprīlis", "maijs", "jūnijs", "jūlijs", "augusts",
           "septembris", "oktobris", "novembris", "decembris"]  # fmt: skip
CROATIAN = ["siječnja", "veljače", "ožujka", "travnja", "svibnja", "lipnja", "srpnja", "kolovoza",
            "rujna", "listopada", "studenoga", "prosinca"]  # fmt: skip

RUSSIAN = ["янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.",
           "нояб.", "дек."]  # fmt: skip
FRENCH = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.",
          "déc."]  # fmt: skip
FRENCH_DAYS = ("lun", "mar", "mer", "jeu", "ven", "sam", "dim")
POLISH = ["stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia",
          "września", "października", "listopada", "grudnia"]  # fmt: skip


def name_months(names, form="{} {} {}"):
    return lambda at: form.format(at.day, names[at.month - 1], at.year)


FORMS = {
    "Arabic": name_months(ARABIC),
    "Hebrew": name_months(HEBREW, "{} ב{} {}"),
    "Hebrew without a prefix": name_months(HEBREW, "{} {}, {}"),
    "Lithuanian": name_months(LITHUANIAN),
    "Latvian": name_months(LATVIAN, "{}. {} {}"),
    "Croatian": name_months(CROATIAN, "{}. {} {}."),
    "Russian": lambda at: f"{name_months(RUSSIAN)(at)} г., {at.hour}:{at.minute:02d}",
    "French with weekdays": lambda at: f"{FRENCH_DAYS[at.weekday()]}. {name_months(FRENCH)(at)}",
    "Polish with a full stop": name_months(POLISH, "{}. {} {}"),
    "Polish with the word for year": name_months(POLISH, "{} {} {} r."),
    "Polish with the year in full": name_months(POLISH, "{} {} {} roku"),
    "Vietnamese": lambda at: f"{at.day} tháng {at.month}, {at.year}",
    "Vietnamese in full": lambda at: f"Ngày {at:%d} tháng {at:%m} năm {at.year}",
    "Vietnamese with strokes": lambda at: f"{at.day} tháng {at.month}/{at.year}",
}


def check_days(table, name, cells, days):
    """Check that cells are read as these days since 1970, here and by the exported pickle."""
    rows = "".join(f"{cell};{i % 2}\n" for i, cell in enumerate(cells))
    column = table(f"{name};y\n{rows}").get_column(f"{name}: days")
    assert column.values.tolist() == days
    front = make_matrix_transformer(
        [RawColumn(name, date=column.date)], pd.DataFrame({name: ["0"]})
    )
    frame = pd.DataFrame({name: cells}, dtype=object)
    assert np.array_equal(pickle.loads(pickle.dumps(front)).transform(frame)[:, 0], column.values)


@pytest.mark.slow
@pytest.mark.parametrize("write", FORMS.values(), ids=FORMS)
def test_months_of_further_languages(table, write):
    moments = [datetime(2023, 1, 1) + timedelta(days=17 * i) for i in range(N)]
    days = [(at - datetime(1970, 1, 1)).days for at in moments]
    check_days(table, "when", [write(at) for at in moments], days)


@pytest.mark.slow
def test_vietnamese_months_without_days(table):
    months = [date(2020 + i // 12, i % 12 + 1, 1) for i in range(N)]
    cells = [f"Tháng {at.month}/{at.year}" for at in months]
    check_days(table, "when", cells, [(at - date(1970, 1, 1)).days for at in months])


@pytest.mark.parametrize(
    ("names", "form", "october"),
    [
        (CROATIAN, "{}. {} {}", "listopada"),
        (CROATIAN, "{}. {} {}.", "listopada"),
        (POLISH, "{} {} {}", "października"),
        (POLISH, "{}. {} {}", "października"),
        (POLISH, "{:02d}. {} {} r.", "października"),
        (CROATIAN, "{} {} {}", None),
        (["listopada"] * 12, "{}. {} {}", None),
        (CROATIAN[:6] + POLISH[6:], "{}. {} {}", None),
    ],
)
def test_listopada_is_october_only_in_croatian(raw, names, form, october):
    cells = [form.format(i % 28 + 1, names[i % 12], 2023) for i in range(N)]
    table = raw("when;y\n" + "".join(f"{each};1\n" for each in cells))
    assert table.formats[0].kind == ("category" if october is None else "date")
    if october is not None:
        days = table.get_distinct(0).parse_dates() / 86_400
        expected = (date(2023, 10, 10) - date(1970, 1, 1)).days
        assert days[table.get_distinct(0).codes][9] == expected
        assert october in cells[9]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["%m/%y", "%b %y", "%b. %y", "%b-%y", "%b '%y"])
def test_months_with_short_years(table, form):
    months = [date(2021 + i // 12, i % 12 + 1, 1) for i in range(N)]
    cells = [at.strftime(form) for at in months]
    check_days(table, "expiry", cells, [(at - date(1970, 1, 1)).days for at in months])


@pytest.mark.parametrize(
    "write",
    [
        lambda i: f"{i % 12 + 1:02d}/{i % 28 + 1:02d}",
        lambda i: f"{i % 12 + 1:02d}/{20 + i // 30:d}{'/1' * (i == 7)}",
        lambda i: f"{i % 12 + 1:02d}/{20 + 5 * (i // 30)}",
        lambda i: f"{i % 12 + 1:02d}/20",
        lambda i: f"{i % 13 + 1:02d}/{20 + i // 30}",
        lambda i: f"{POLISH[i % 12][:3]} {i % 28 + 1}",
        lambda i: f"Jan {i % 12 + 13}",
        lambda i: f"{RUSSIAN[i % 12]} {20 + 5 * (i // 30)}",
        lambda i: f"{('Jan', 'Otto')[i % 2]} {20 + i // 30}",
    ],
)
def test_days_and_fractions_are_not_months_with_short_years(raw, write):
    rows = "".join(f"{write(i)},1\n" for i in range(N))
    assert raw(f"part,y\n{rows}").formats[0].kind == "category"


@pytest.mark.parametrize(
    ("write", "step"),
    [
        (lambda at: f"{at.month}/{at.day:2d}'{at:%y}", 1),
        (lambda at: f"{at.day}.{at.month}.'{at:%y}", 1),
        (lambda at: f"H{(at.month + 5) // 6} {at.year}", 183),
        (lambda at: f"{at.year}-S{(at.month + 5) // 6}", 183),
        (lambda at: f"{('1er', '2e', '3e', '4ème')[(at.month - 1) // 3]} trimestre {at.year}", 91),
        (lambda at: f"{('I', 'II', 'III', 'IV')[(at.month - 1) // 3]} kwartał {at.year}", 91),
        (lambda at: f"{('I', 'II', 'III', 'IV')[(at.month - 1) // 3]} кв. {at.year} г.", 91),
    ],
)
def test_dates_of_finance_and_statistics(table, write, step):
    days = [date(2020, 1, 1) + timedelta(days=step * i) for i in range(N)]
    months = {1: 1, 91: 3, 183: 6}[step]
    starts = [
        at if step == 1 else at.replace(month=(at.month - 1) // months * months + 1, day=1)
        for at in days
    ]
    check_days(table, "when", [*map(write, days)], [(at - date(1970, 1, 1)).days for at in starts])


@pytest.mark.parametrize(
    "write",
    [
        lambda i: f"H{i % 3 + 1} {2020 + i % 4}",
        lambda i: f"S{i % 12 + 1} 2024",
        lambda i: f"{('I', 'II', 'V')[i % 3]} kwartał 2024",
        lambda i: f"{i % 6}'{i % 12}",
    ],
)
def test_halls_seasons_and_heights_are_not_dates(raw, write):
    rows = "".join(f"{write(i)},1\n" for i in range(N))
    assert raw(f"part,y\n{rows}").formats[0].kind == "category"


@pytest.mark.parametrize(
    ("form", "is_open"),
    [("1/5/24 {}:00 AM", True), ("1/15/24 {}:00 AM", False), ("5-Jan-24 {}:00 AM", False)],
)
def test_short_dates_of_one_day_are_open(form, is_open):
    guess = guess_dates([form.format(hour) for hour in range(1, 12)], np.ones(11, dtype=np.int64))
    assert guess.is_open == is_open


@pytest.mark.parametrize("form", ["1/5/24 {}:00 AM", "1/5/2024 {}:00 pm"])
def test_order_of_dates_of_one_day_is_asked_for(raw, form):
    rows = "".join(f"{form.format(i % 11 + 1)},{i % 7},{'yn'[i % 2]}\n" for i in range(N))
    findings = describe_by_choice(raw("when,b,y\n" + rows), {}, {}, "y")[0].findings
    assert [each.level for each in findings if each.kind == "unclear-dates"] == ["decide"]


@pytest.mark.parametrize("form", ["%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"])
def test_midnight_at_the_end_of_a_day_belongs_to_the_next(table, form):
    """Quarters of an hour, so that 24:00 is rare among the sampled cells."""
    hours = [(datetime(2024, 1, 30) + timedelta(minutes=15 * i)) for i in range(1, 97 * 6)]
    days = [(at - datetime(1970, 1, 1)) / timedelta(days=1) for at in hours]
    cells = [
        (at - timedelta(days=1)).strftime(form.replace("%H", "24")) if at.time() == time() else
        at.strftime(form)
        for at in hours
    ]  # fmt: skip
    assert "24:00" in cells[95]
    check_days(table, "when", cells, days)


def test_times_beyond_24_hours_are_missing():
    cells = ["31.01.2024 24:00", "31.01.2024 24:01", "31.01.2024 25:00", "31.01.2024 12:00"]
    days = DateFormat("day-first", has_words=True).parse(cells) / 86_400
    assert days[0] == (date(2024, 2, 1) - date(1970, 1, 1)).days
    assert np.isnan(days[1:3]).all()
    assert days[3] == days[0] - 0.5


WEEK_NAMES = ("week", "KW", "iso_week", "yearweek", "Woche", "sales week")
WEEK_FORMS = ("{}-{:02d}", "{}{:02d}", "{}/{}", "{} {:02d}")


@pytest.mark.parametrize(
    ("name", "form", "last"),
    [
        *(("week", form, last) for form in WEEK_FORMS for last in (12, 52)),
        # The name and the cells are examined separately.
        *((name, WEEK_FORMS[0], 52) for name in WEEK_NAMES[1:]),
    ],
)
def test_weeks_are_recognised_by_column_name(table, name, form, last):
    weeks = [(2021 + i // 26, i * 5 % last + 1) for i in range(N)]
    days = [(date.fromisocalendar(*week, 1) - date(1970, 1, 1)).days for week in weeks]
    check_days(table, name, [form.format(*week) for week in weeks], days)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["date", "doy", "julian_day", "YYYYDDD", "obs date"])
@pytest.mark.parametrize("form", ["%Y-%j", "%Y%j"])
def test_days_of_year_are_recognised_by_column_name(table, name, form):
    days = [date(2023, 12, 1) + timedelta(days=7 * i) for i in range(N)]
    assert f"{days[4]:%j}" == "363", "and the leap year has a day 366"
    days[5] = date(2024, 12, 31)
    check_days(
        table, name, [f"{at:{form}}" for at in days], [(at - date(1970, 1, 1)).days for at in days]
    )


def test_impossible_days_of_year_are_missing():
    cells = ["2023-000", "2023-365", "2024-366", "2024-367", "2023-1", "2023-17"]
    assert np.isnan(DateFormat("year-day").parse(cells)).tolist() == [1, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "cells", "kind", "order"),
    [
        ("month", [f"2023-{i % 12 + 1:02d}" for i in range(N)], "date", "year-month"),
        ("period", [f"2023{i % 12 + 1:02d}" for i in range(N)], "date", "compact"),
        ("case", [f"2023-{i % 53 + 1:02d}" for i in range(N)], "category", None),
        ("code", [f"2023{i % 53 + 1:02d}" for i in range(N)], "number", None),
        ("week", [str(i % 53 + 1) for i in range(N)], "number", None),
        ("week", [str(2000 + i % 20) for i in range(N)], "number", None),
        ("week", [f"2023-{i % 60 + 1:02d}" for i in range(N)], "category", None),
        ("case", [f"2023-{i % 40 + 1:03d}" for i in range(N)], "category", None),
        ("code", [f"2023{i % 40 + 1:03d}" for i in range(N)], "number", None),
        ("date", [f"2023-{i * 7 + 1:03d}" for i in range(N)], "category", None),
        ("date", [f"2023{i % 12 + 1:02d}" for i in range(N)], "date", "compact"),
        ("weekday", [f"2023-{i % 12 + 1:02d}" for i in range(N)], "date", "year-month"),
        ("midweek", [f"2023-{i % 12 + 1:02d}" for i in range(N)], "date", "year-month"),
    ],
)
def test_other_cells_are_not_weeks(raw, name, cells, kind, order):
    column_format = raw(f"{name};y\n" + "".join(f"{cell};1\n" for cell in cells)).formats[0]
    assert column_format.kind == kind
    assert (column_format.date and column_format.date.format.order) == order


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda i: f"S{i % 2 + 1}/{1801 + i}", "category"),
        (lambda i: f"S{i % 2 + 1}/{2001 + i % 20}", "date"),
        (lambda i: f"{i % 4 + 1}kW{2000 + i % 9}", "category"),
        (lambda i: f"{i % 4 + 1} kw. {2000 + i % 9}", "date"),
        (lambda i: f"{i % 4 + 1} kw {2000 + i % 9}", "date"),
    ],
)
def test_serial_numbers_are_not_parts_of_a_year(raw, write, kind):
    rows = "".join(f"{write(i)};{i % 2}\n" for i in range(N))
    assert raw(f"v;y\n{rows}").formats[0].kind == kind


@pytest.mark.parametrize("zone", ["", "+0200"])
def test_dates_of_json_are_read_without_placeholders(table, zone):
    days = [19_000 + 3 * i for i in range(N)]
    cells = [f"/Date({86_400_000 * day}{zone})/" for day in days]
    check_days(table, "v", cells, days)
    with_placeholder = table(
        "v;y\n" + "".join(f"{c};{i % 2}\n" for i, c in enumerate([*cells, "/Date(-1)/"]))
    )
    assert with_placeholder.get_column("v: days").missing == 1


def test_paths_with_numbers_are_not_dates_of_json(raw):
    rows = "".join(f"/Date({i})/;{i % 2}\n" for i in range(N))
    assert raw(f"v;y\n{rows}").formats[0].kind == "category"
