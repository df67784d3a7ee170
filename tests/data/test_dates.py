"""Dates as text, their numeric parts, and the same by pandas."""

import pickle
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data import date_guess, dates
from studio.data.columns import describe_all_columns
from studio.data.date_guess import guess_dates
from studio.data.dates import (
    ORDERS,
    PARTS,
    DateFormat,
    DatePart,
    detect_date_style,
    extract_part,
    format_date,
    format_days,
)
from studio.data.numbers import apply_pairs
from studio.errors import UsageError
from studio.export.preprocessing import UNREAD_DATES_WARNING, RawColumn, make_matrix_transformer
from tests.facts import about


def moments(texts, order):
    return DateFormat(order).parse(texts)


def guess_order(texts, *, partly=False):
    guess = guess_dates(texts, np.ones(len(texts), dtype=np.int64), partly=partly)
    return None if guess is None or guess.is_open else guess.format.order


WRITTEN = {"year-first": "{0}{3}{1}{3}{2}", "day-first": "{2}{3}{1}{3}{0}"}
WRITTEN["month-first"] = "{1}{3}{2}{3}{0}"


@st.composite
def written(draw):
    """Return a time, a date order, and the formatted time."""
    moment = draw(st.datetimes(datetime(1700, 1, 1), datetime(2199, 12, 31))).replace(microsecond=0)
    order = draw(st.sampled_from(ORDERS))
    pad = draw(st.sampled_from(["", "02d"]))
    day = (moment.year, format(moment.month, pad), format(moment.day, pad))
    text = WRITTEN[order].format(*day, draw(st.sampled_from("-/.")))
    clock = draw(st.sampled_from(["", "%H:%M", "%H:%M:%S"]))
    minutes_and_seconds = {
        "": (0, 0),
        "%H:%M": (moment.minute, 0),
        "%H:%M:%S": (moment.minute, moment.second),
    }
    minute, second = minutes_and_seconds[clock]
    moment = moment.replace(hour=moment.hour if clock else 0, minute=minute, second=second)
    text += draw(st.sampled_from(" T")) + moment.strftime(clock) if clock else ""
    return moment, order, draw(st.sampled_from(["", " "])) + text


@pytest.mark.slow
@given(written())
def test_date_formats_are_read_with_calendar_parts(written_date):
    moment, order, text = written_date
    seconds = moments([text], order)
    assert seconds[0] == (moment - datetime(1970, 1, 1)).total_seconds()
    calendar_parts = {part: extract_part(seconds, part)[0] for part in PARTS}
    assert calendar_parts["days"] == seconds[0] / 86400
    assert (calendar_parts["year"], calendar_parts["month"], calendar_parts["day"]) == (
        moment.year,
        moment.month,
        moment.day,
    )
    assert (calendar_parts["weekday"], calendar_parts["hour"]) == (moment.weekday(), moment.hour)
    # The days suffice to format it again.
    assert moments([format_days(calendar_parts["days"])], order)[0] == seconds[0]


ODD = [
    "", "?", "NA", "2024-02-30", "31.02.2024", "24-01-31", "2024-01", "20240131", "1",
    "0001-01-01", "2024-01-31T10:00+02:00", "2024-01-31 23:59:59.999Z", "2024-01-31 24:00",
    "soon", "\x00", "2024-13-01", "9999-12-31", "2024-01-31x", "01/02/2024 9:05",
]  # fmt: skip


@pytest.mark.filterwarnings(f"ignore:{UNREAD_DATES_WARNING}")
@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.lists(st.one_of(written().map(lambda each: each[2]), st.sampled_from(ODD), st.text()),
                min_size=1, max_size=12), st.sampled_from(ORDERS))  # fmt: skip
def test_exported_pipeline_parses_dates_with_pandas(texts, order):
    columns = [RawColumn("when", date=DatePart(part, order)) for part in PARTS]
    front = make_matrix_transformer(columns, pd.DataFrame({"when": ["0"]}))
    matrix = pickle.loads(pickle.dumps(front)).transform(
        pd.DataFrame({"when": texts}, dtype=object)
    )
    expected = np.column_stack([DatePart(part, order).compute_values(texts) for part in PARTS])
    assert np.array_equal(matrix, expected, equal_nan=True)


@pytest.mark.filterwarnings(f"ignore:{UNREAD_DATES_WARNING}")
@pytest.mark.slow
@pytest.mark.parametrize("order", ["week", "year-first-short"])
def test_exported_pipeline_parses_weeks_and_short_years(order):
    texts = [
        "2024-W03",
        "2020W53",
        "2021-W53",
        "2024-W05-7",
        " 2024-01-15 ",
        "24-01-15",
        "85-12-21",
        "W03",
    ]
    columns = [RawColumn("when", date=DatePart(part, order)) for part in PARTS]
    table = pd.DataFrame({"when": texts}, dtype=object)
    matrix = pickle.loads(pickle.dumps(make_matrix_transformer(columns, table))).transform(table)
    expected = np.column_stack([each.date.compute_values(texts) for each in columns])
    assert np.array_equal(matrix, expected, equal_nan=True)
    iso = {"week": ["2024-01-15", "2020-12-28", "", "2024-02-04", "2024-01-15", "", "", ""]}
    short = ["", "", "", "", "2024-01-15", "2024-01-15", "1985-12-21", ""]
    assert np.array_equal(
        expected[:, 0],
        DatePart("days", "year-first").compute_values(iso.get(order, short)),
        equal_nan=True,
    )


@pytest.mark.slow
def test_pandas_datetime_column_is_parsed():
    timestamps = pd.Series([datetime(2024, 3, 1, 5), pd.NaT, datetime(2023, 12, 31)])
    for order in ORDERS:
        columns = [RawColumn("when", date=DatePart(part, order)) for part in ("day", "hour")]
        matrix = make_matrix_transformer(columns, pd.DataFrame({"when": ["0"]})).transform(
            timestamps.to_frame("when")
        )
        assert np.array_equal(matrix, [[1, 5], [np.nan, np.nan], [31, 0]], equal_nan=True)


def days(first, count, pattern):
    return [(first + timedelta(days=each)).strftime(pattern) for each in range(count)]


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (days(date(2024, 1, 1), 40, "%Y-%m-%d"), "year-first"),
        (days(date(2024, 1, 1), 40, "%d/%m/%Y"), "day-first"),
        (days(date(2024, 1, 1), 40, "%m/%d/%Y"), "month-first"),
        (days(date(2024, 1, 1), 5, "%d.%m.%Y"), "day-first"),
        (days(date(2024, 1, 1), 5, "%d/%m/%Y"), None),
        ([*days(date(2024, 1, 1), 40, "%d/%m/%Y"), "soon"], "day-first"),
        ([*days(date(2024, 1, 1), 15, "%d/%m/%Y"), "soon"], None),
        (["2024-01-31", "31.01.2024"], "day-first"),
        (["2024-01-31", "1/1/1900"], "day-first"),
        ([], None),
        (["2024-W03", "2024W04", "2024-W05-7"], "week"),
        (["KW 3/2024", "KW 4/2024", "KW 51/2024"], "week"),
        (["2024-W03", "2024-W60", "2024-W61"], None),  # possibly codes
    ],
)
def test_date_order_is_guessed_only_if_unambiguous(texts, order):
    assert guess_order(texts) == order


def test_ambiguous_dates_are_day_first():
    guess = guess_dates(["1/2/2024", "3/4/2024"], np.ones(2, dtype=np.int64), partly=True)
    assert (guess.format.order, guess.is_open) == ("day-first", True)
    assert guess_order(["1/22/2024", "3/4/2024", "soon"], partly=True) == "month-first"


FRENCH = ["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
          "octobre", "novembre", "décembre"]  # fmt: skip
SPANISH = ["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
           "octubre", "noviembre", "diciembre"]  # fmt: skip
RUSSIAN = ["янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.",
           "нояб.", "дек."]  # fmt: skip
MINUTES = {
    "German office": lambda at: f"{at:%d.%m.%Y, %H:%M} Uhr",
    "clock first": lambda at: f"{at:%H:%M %d/%m/%Y}",
    "American clock first": lambda at: f"{at:%I:%M %p %m/%d/%Y}",
    "a hyphen between": lambda at: f"{at:%d/%m/%Y - %H:%M}",
    "an underscore between": lambda at: f"{at:%d.%m.%y_%H:%M}",
    "a bar between": lambda at: f"{at:%Y-%m-%d|%H:%M}",
    "Russian": lambda at: f"{at.day} {RUSSIAN[at.month - 1]} {at:%Y %H:%M}",
    "remarks": lambda at: f"{at:%Y-%m-%d %H:%M}" + " (est.)" * (at.day == 1),
    "French": lambda at: (
        f"{'1er' if at.day == 1 else at.day} {FRENCH[at.month - 1]} {at:%Y à %Hh%M}"
    ),
    "Japanese": lambda at: f"{at.year}年{at.month}月{at.day}日(月) {at:%H:%M}",
    "Chinese forms": lambda at: f"{at:%Y/%m/%d} {'下午' if at.hour > 11 else '上午'} {at:%I:%M:00}",
    "Google Forms": lambda at: f"{at:%Y/%m/%d %I:%M:00 %p} GMT+1",
    "American": lambda at: f"{at:%m/%d/%Y %I:%M} {'p.m.' if at.hour > 11 else 'a.m.'}",
    "SAS": lambda at: f"{at:%d%b%Y:%H:%M:00}".upper(),
    "PDF": lambda at: f"D:{at:%Y%m%d%H%M00}+01'00'",
    "ISO, basic": lambda at: f"{at:%Y%m%dT%H%M}",
    "C": lambda at: f"{at:%a %b %d %H:%M:00 %Y}",
    "X": lambda at: f"{at:%a %b %d %H:%M:00 +0000 %Y}",
    "JavaScript": lambda at: f"{at:%a %b %d %Y %H:%M:00} GMT+0100 (Central European Time)",
    "Finnish": lambda at: f"{at.day}.{at.month}.{at.year} klo {at.hour}.{at:%M}",
    "a zone's name": lambda at: f"{at:%Y-%m-%d %H:%M:00} Europe/Berlin",
    "web server": lambda at: f"[{at:%d/%b/%Y:%H:%M:00} +0000]",
}
POLISH = ["sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru"]
CZECH = ["led", "úno", "bře", "dub", "kvě", "čvn", "čvc", "srp", "zář", "říj", "lis", "pro"]
AUSTRIAN = ["Jänner", "Feber", "März", "April", "Mai", "Juni", "Juli", "August", "September",
            "Oktober", "November", "Dezember"]  # fmt: skip
CATALAN = ["gener", "febrer", "març", "abril", "maig", "juny", "juliol", "agost", "setembre",
           "octubre", "novembre", "desembre"]  # fmt: skip
GREEK = ["Ιανουαρίου", "Φεβρουαρίου", "Μαρτίου", "Απριλίου", "Μαΐου", "Ιουνίου", "Ιουλίου",
         "Αυγούστου", "Σεπτεμβρίου", "Οκτωβρίου", "Νοεμβρίου", "Δεκεμβρίου"]  # fmt: skip
FRENCH_DAYS = ["lun", "mar", "mer", "jeu", "ven", "sam", "dim"]
ITALIAN_DAYS = ["lun", "mar", "mer", "gio", "ven", "sab", "dom"]

MINUTES |= {
    "British": lambda at: f"{at:%d %b %Y, %I.%M}{'am' if at.hour < 12 else 'pm'}",
    "Greek": lambda at: f"{at:%d/%m/%Y %I:%M} {'πμ' if at.hour < 12 else 'μμ'}",
    "Finnish": lambda at: f"{at:%d.%m.%y %H.%M}",
    "Dutch": lambda at: f"{at:%d-%m-%Y %H:%M} uur",
    "Arabic": lambda at: f"{at:%d/%m/%Y %I:%M} {'ص' if at.hour < 12 else 'م'}",
}
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
DAYS = {
    "31032024": lambda at: f"{at:%d%m%Y}",
    "03312024": lambda at: f"{at:%m%d%Y}",
    "Polish": lambda at: f"{at.day} {POLISH[at.month - 1]} {at.year}",
    "Czech abbreviation": lambda at: f"{at.day}. {CZECH[at.month - 1]} {at.year}",
    "Spanish": lambda at: f"{at.day} de {SPANISH[at.month - 1]} de {at.year}",
    "Stata": lambda at: f"{at:%d%b%Y}".lower(),
    "Austrian": lambda at: f"{at.day}. {AUSTRIAN[at.month - 1]} {at.year}",
    "Catalan": lambda at: f"{at.day} {CATALAN[at.month - 1]} {at.year}",
    "Greek day": lambda at: f"{at.day} {GREEK[at.month - 1]} {at.year}",
    "weekday behind": lambda at: f"{at:%Y-%m-%d %A}",
    "Hungarian": lambda at: f"{at:%Y. %m. %d.}",
    "Czech": lambda at: f"{at.day}. {at.month}. {at.year}",
    "Excel, short": lambda at: f"{at.day}.{at.month}.{at:%y}",
    "weather service": lambda at: f"{at:%Y%m%d}",
    "French weekday": lambda at: f"{FRENCH_DAYS[at.weekday()]}. {at:%d/%m/%Y}",
    "Italian weekday": lambda at: f"{ITALIAN_DAYS[at.weekday()]} {at:%d/%m/%Y}",
    "month first": lambda at: f"{at:%b %d, %Y}",
    "month or day first": lambda at: f"{at:%b %d, %Y}" if at.day % 2 else f"{at:%d %B %Y}",
    "day or month first": lambda at: f"{at:%d-%b-%y}" if at.day % 3 else f"{at:%B %d, %Y}",
    "Roman months": lambda at: f"{at.day}. {ROMAN[at.month - 1]}. {at.year}",
    "Roman months between points": lambda at: f"{at:%d}.{ROMAN[at.month - 1]}.{at.year}",
}
MONTHS = {
    "202403": lambda at: f"{at:%Y%m}",
    "Eurostat": lambda at: f"{at:%Y}M{at:%m}",
    "a statistical office": lambda at: f"{at:%Y} M{at:%m}",
    "Excel": lambda at: f"{at:%b-%y}",
    "points": lambda at: f"{at:%m.%Y}",
    "points without zeros": lambda at: f"{at.month}.{at.year}",
}
QUARTERS = {
    "SDMX": lambda at: f"{at:%Y}-Q{(at.month + 2) // 3}",
    "German": lambda at: f"{(at.month + 2) // 3}. Quartal {at:%Y}",
    "quarter first": lambda at: f"Q{(at.month + 2) // 3} {at:%Y}",
    "French quarter": lambda at: f"T{(at.month + 2) // 3} {at:%Y}",
    "Spanish quarter": lambda at: f"{(at.month + 2) // 3}T{at:%Y}",
    "short year": lambda at: f"Q{(at.month + 2) // 3}-{at:%y}",
    "finance": lambda at: f"{(at.month + 2) // 3}Q{at:%y}",
    "short year first": lambda at: f"{at:%y}Q{(at.month + 2) // 3}",
    "words": lambda at: f"{at:%Y} Qtr {(at.month + 2) // 3}",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "kept"),
    [
        *((write, lambda at: at) for write in MINUTES.values()),
        *((write, lambda at: at.replace(hour=0, minute=0)) for write in DAYS.values()),
        *((write, lambda at: datetime(at.year, at.month, 1)) for write in MONTHS.values()),
        *(
            (write, lambda at: datetime(at.year, (at.month - 1) // 3 * 3 + 1, 1))
            for write in QUARTERS.values()
        ),
    ],
    ids=[*MINUTES, *DAYS, *MONTHS, *QUARTERS],
)
def test_dates_of_office_programs_are_read(table, write, kept):
    moments = [datetime(2023, 1, 1, 9, 5) + timedelta(days=17.3 * i) for i in range(40)]
    cells = [write(at.replace(second=0, microsecond=0)) for at in moments]
    date_table = table(
        "".join(["when;y\n", *(f"{cell};{i % 2}\n" for i, cell in enumerate(cells))])
    )
    expected = [(kept(at.replace(second=0, microsecond=0)) - datetime(1970, 1, 1)).total_seconds()
                for at in moments]  # fmt: skip
    column = date_table.get_column("when: days")
    assert np.array_equal(np.round(column.values * 86400), expected)
    front = make_matrix_transformer(
        [RawColumn("when", date=column.date)], pd.DataFrame({"when": ["0"]})
    )
    matrix = pickle.loads(pickle.dumps(front)).transform(
        pd.DataFrame({"when": cells}, dtype=object)
    )
    assert np.array_equal(matrix[:, 0], column.values)


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda at, i: f"{at:%Y%m%d}-{i * 37 % 10_000:04d}", "category"),
        (lambda at, i: f"{at:%Y-%m-%d}-{i:03d}", "category"),
        (lambda at, i: f"{at:%Y%m%d}+{i % 90:02d}", "category"),
        (lambda at, i: f"{at:%Y-%m-%d}+02:00", "date"),
        (lambda at, i: f"{at:%Y-%m-%dT%H:%M}-0330", "date"),
    ],
)
def test_codes_starting_with_dates_are_not_dates(raw, write, kind):
    cells = [write(datetime(2020, 1, 1) + timedelta(days=17 * i), i) for i in range(99)]
    raw_table = raw("id;y\n" + "".join(f"{cell};{i % 2}\n" for i, cell in enumerate(cells)))
    described = describe_all_columns(raw_table, "y")[0]
    assert (described.kind, described.role == "ignore") == (kind, kind == "category")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["%y%m%d", "%d%m%y", "%m%d%y"])
def test_six_digits_in_column_of_dates_are_dates(table, form):
    days = [date(2022, 12, 1) + timedelta(days=5 * i) for i in range(60)]
    cells = [f"{day:{form}}" for day in days]
    rows = "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    column = table("order_date,y\n" + rows).get_column("order_date: days")
    assert column.values.tolist() == [(day - date(1970, 1, 1)).days for day in days]
    front = make_matrix_transformer(
        [RawColumn("order_date", date=column.date)], pd.DataFrame({"order_date": ["0"]})
    )
    matrix = front.transform(pd.DataFrame({"order_date": cells}, dtype=object))
    assert np.array_equal(matrix[:, 0], column.values)
    assert table("code,y\n" + rows).get_column("code").date is None


@pytest.mark.parametrize(
    "cells",
    [[f"{110101 + 937 * i}" for i in range(30)], [f"{100908 - 10101 * i:06d}" for i in range(8)]],
    ids=["amounts", "any order"],
)
def test_other_six_digits_in_column_of_dates_are_numbers(table, cells):
    rows = "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
    assert table("day_total,y\n" + rows).get_column("day_total").date is None


def test_month_names_may_precede_or_follow_day():
    texts = ["Jan 15, 2023", "15 January 2023", "15/01/2023", "01/15/2023", "15 X 2023"]
    for order, unread in (("day-first", 3), ("month-first", 2)):
        seconds = DateFormat(order, has_words=True).parse(texts)
        assert np.flatnonzero(np.isnan(seconds)).tolist() == [unread, 4]
        assert len(np.unique(seconds[:2])) == 1


def test_first_month_name_determines_displayed_order():
    assert guess_order([f"Jan {day}, 2023" for day in range(1, 30)]) == "month-first"
    assert guess_order([f"{day} Jan 2023" for day in range(1, 30)]) == "day-first"


@pytest.mark.parametrize("word", ["0000-00-00", "NaT", "open"])
def test_repeated_word_among_dates_is_missing(raw, word):
    cells = [word if i % 4 == 0 else f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(80)]
    raw_table = raw("when,y\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    description = describe_all_columns(raw_table, "y")[0]
    assert (description.kind, description.missing) == ("date", 20)


ISO = "".join(f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d},1\n" for i in range(88))


def test_mixed_formats_keep_iso_dates(raw):
    odd = ["09 21 1972", "23 -07-2008", "22 Feb 04", "10-29-99", "The 6th of marzo 1951", "1/16-03",
           "21-11-46", "1984-02-34", "1976-13-24", "23rd of Dec. 66"]  # fmt: skip
    table = raw("when,y\n" + ISO + "".join(f"{cell},1\n" for cell in odd))
    assert table.formats[0].kind == "date"
    assert table.formats[0].n_unread == len(odd)
    finding = next(
        each for each in describe_all_columns(table)[0].findings if each.kind == "unclear-dates"
    )
    assert finding.level == "decide"
    word_table = raw("when,y\n" + ISO + "".join(f"{word},1\n" for word in "abcdefghij" * 2))
    assert word_table.formats[0].kind == "category"


MONTHS = [(year, month) for year in range(1990, 1995) for month in range(1, 13)]
MINUTES = [(i // 288 + 1, i % 288 // 12, i % 12 * 5) for i in range(600)]


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        ([f"01/{month:02d}/{year}" for year, month in MONTHS], "day-first"),
        ([f"{month}-1-{year}" for year, month in MONTHS], "month-first"),
        ([f"{month}/1/{year % 100}" for year, month in MONTHS], "month-first-short"),
        ([f"01/{month}/{year}" for year, month in MONTHS if month % 3 == 1] * 2, "day-first"),
        ([f"01/{day:02d}/2021 {hour:02d}:{m:02d}" for day, hour, m in MINUTES], "month-first"),
        ([f"{day:02d}/01/2021 {hour:02d}:{m:02d}" for day, hour, m in MINUTES], "day-first"),
        ([f"{day}/01/2021" for day in range(1, 13)], None),
        ([f"{i * 7 % 12 + 1}/{i * 5 % 12 + 1}/20{i % 20:02d}" for i in range(60)], None),
    ],
)
def test_evenly_spaced_dates_determine_order(raw, cells, order):
    table = raw("when,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    date = table.formats[0].date
    assert date.is_open == (order is None)
    assert order in {None, date.format.order}


@pytest.mark.parametrize("mark", "-/")
def test_pairs_of_years_are_not_months(mark):
    assert guess_order([f"{year}{mark}{year % 100 + 1:02d}" for year in range(2001, 2012)]) is None
    assert guess_order([f"2011{mark}12", f"2010{mark}11", f"2010{mark}12"]) == "year-month"


def test_version_numbers_are_not_dates():
    for minors in (10, 12, 30):
        assert guess_order([f"{1 + i % 9}.{i % minors}.{10 + i}" for i in range(40)]) is None


def test_day_0_is_invalid():
    assert np.isnan(moments(["2024-01-00", "0.1.2024"], "day-first")).all()


def test_unknown_date_part_is_rejected():
    with pytest.raises(UsageError, check=about(part="'century'")):
        DatePart("century", "year-first")


@pytest.mark.parametrize("pivot", [-1, 100])
def test_century_pivot_outside_range_is_rejected(pivot):
    with pytest.raises(UsageError, check=about(pivot=str(pivot))):
        DatePart("year", "day-first-short", pivot=pivot)


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["21.12.23", "01.02.24"], "day-first-short"),
        (["01.02.23", "03.04.24"], None),  # possibly not dates, but chapter numbers
        (["12/21/23", "1/2/24"], "month-first-short"),
        (["21/12/85", "01/02/24"], "day-first-short"),
        (["21/12/23", "01/02/24"], None),  # possibly year first
        (["21-12-85", "01-02-24"], "day-first-short"),
        (["01-02-24", "03-04-24"], None),
        (["21.12.23", "12.21.23"], None),
        (["21.12.23", "31.02.23"], None),
        (["1.12.23", "21.12.23"], None),
        (["21.12.23 09:05", "01.02.24 10:00"], "day-first-short"),
        (["03.01.24 09:05", "04.01.24 16:05", "05.01.24 23:05"], "day-first-short"),
        (["3.1.24 9:05", "4.1.24 16:05", "10.1.24 10:00"], "day-first-short"),
        (["03.01.24", "04.01.24", "05.02.24"], "day-first-short"),
        (["04.01.12", "04.02.13", "04.03.14"], None),
        (["1.2.34", "2.2.34", "3.2.34"], None),
        (["21.12.23", "2023-12-21"], "day-first-short"),
        (["85-12-21", "24-01-02"], "year-first-short"),
        (["85.12.21", "24.01.02"], None),  # possibly versions
        (days(date(2024, 1, 15), 60, "%y-%m-%d"), "year-first-short"),
        (days(date(2024, 1, 15), 60, "%y/%m/%d")[::-1], "year-first-short"),
        (days(date(2024, 1, 15), 12, "%y-%m-%d")[::2], None),
        ([f"25-{month:02d}-{year}" for year in range(13, 25) for month in range(1, 13)], None),
        ([f"31-12-{year:02d}" for year in range(5, 25)], None),
        (sorted(days(date(2024, 1, 15), 60, "%d-%m-%y")), "day-first-short"),
    ],
)
def test_two_digit_years_are_read_if_unambiguous(texts, order):
    assert guess_order(texts) == order


MOMENTS = st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31))


@pytest.mark.slow
@settings(deadline=None, max_examples=3)
@given(st.lists(MOMENTS, min_size=10, max_size=10), st.sampled_from("-/."))
def test_two_digit_years_follow_posix_and_pandas(times, mark):
    for order, form in (("day-first-short", "%d{0}%m{0}%y"), ("month-first-short", "%m{0}%d{0}%y")):
        texts = [each.strftime(form.format(mark)) for each in times]
        expected = pd.to_datetime(texts, format=form.format(mark))
        assert np.array_equal(moments(texts, order), (expected - pd.Timestamp(0)).total_seconds())
        assert [*expected.year] == [each.year for each in times]
        cells = [*texts, "21.12", "", "2023-12-21"]
        columns = [RawColumn("when", date=DatePart(part, order)) for part in PARTS]
        table = pd.DataFrame({"when": cells}, dtype=object)
        ours = np.column_stack([DatePart(part, order).compute_values(cells) for part in PARTS])
        matrix = make_matrix_transformer(columns, pd.DataFrame({"when": ["0"]})).transform(table)
        assert np.array_equal(matrix, ours, equal_nan=True)


@pytest.mark.parametrize(("letter", "first"), [("Q", 101), ("T", 12_000)])
def test_numbered_codes_are_no_quarters(letter, first):
    texts = [f"{letter}{first + i}" for i in range(39)]
    assert guess_dates(texts, np.ones(len(texts), np.int64)) is None


BIRTHS = days(date(1945, 3, 1), 19_000, "%d/%m/%y")[::37]
BIRTH_DATES = days(date(1955, 3, 1), 25_000, "%m/%d/%y")[::37]
DUE = days(date(2024, 1, 15), 9_000, "%d.%m.%y")[::37]
CENTURY = days(date(1925, 1, 15), 36_400, "%d.%m.%y")[::37]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("texts", "first_year", "last_year"),
    [(BIRTHS, 1945, 1997), (BIRTH_DATES, 1955, 2023), (DUE, 2024, 2048), (CENTURY, 1969, 2068)],
)
def test_birth_years_of_two_digits_are_in_one_century(texts, first_year, last_year):
    guess = guess_dates(texts, np.ones(len(texts), np.int64))
    assert guess is not None
    style = detect_date_style(texts, guess.format)
    columns = [RawColumn("when", date=replace(style, part=part)) for part in PARTS]
    ours = np.column_stack([each.date.compute_values(texts) for each in columns])
    years = ours[:, PARTS.index("year")]
    assert (years.min(), years.max()) == (first_year, last_year)
    table = pd.DataFrame({"when": texts}, dtype=object)
    exported = pickle.loads(pickle.dumps(make_matrix_transformer(columns, table))).transform(table)
    assert np.array_equal(exported, ours)
    for text, day in zip(texts, ours[:, 0], strict=True):
        assert format_date(style, day) == text


@pytest.mark.slow
def test_date_words_are_rewritten_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [f"{day} March {year}" for day in range(1, 29) for year in range(2000, 2010)]
    rewriting: list[int] = []
    monkeypatch.setattr(
        date_guess,
        "apply_pairs",
        lambda texts, pairs: rewriting.append(len(texts)) or apply_pairs(texts, pairs),
    )
    guess = guess_dates(cells, np.ones(len(cells), dtype=np.int64))
    assert guess is not None
    assert guess.format.order == "day-first"
    assert rewriting == [100, len(cells)]  # some of them first


@pytest.mark.parametrize(
    ("texts", "open_"),
    [
        ([f"{day:02d}/02/22" for day in range(1, 29)], False),
        ([f"{12 + i:02d}/05/{11 + i:02d}" for i in range(18)], True),
    ],
)
def test_two_digit_days_are_not_parsed_as_years(texts, open_):
    guess = guess_dates(texts, np.ones(len(texts), np.int64))
    assert guess is not None
    assert (guess.format.order, guess.is_open) == ("day-first-short", open_)


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        ([f"{1 + i}/02/20{i:02d}" if i % 3 else f"{1 + i}/02/{i:02d}" for i in range(28)],
         "day-first-short"),
        ([f"02/{1 + i}/20{i:02d}" if i % 2 else f"02/{1 + i}/{i:02d}" for i in range(28)],
         "month-first-short"),
        ([f"{1 + i}-Feb-{'20' * (i % 2)}{i:02d}" for i in range(10, 28)], "day-first-short"),
        ([f"{1 + i}/02/2{i:02d}" if i % 3 else f"{1 + i}/02/{i:02d}" for i in range(28)], None),
    ],
)  # fmt: skip
def test_years_of_two_and_four_digits_are_read_together(texts, order):
    assert guess_order(texts) == order
    if order is not None:
        has_names = "Feb" in texts[0]
        seconds = DateFormat(order, has_names).parse(texts)
        years = [2000 + int(text[-2:]) for text in texts]
        assert extract_part(seconds, "year").tolist() == years


@pytest.mark.parametrize(
    ("write", "kind"),
    [("202401{:02d}.0", "date"), ("2024{:02d}.0", "date"), ("202413{:02d}.0", "number"),
     ("202401{:02d}.5", "number"), ("1501{:02d}.0", "number")],
)  # fmt: skip
def test_dates_among_decimals_are_read(raw, write, kind):
    cells = [write.format(1 + i % 12) if i % 9 else "" for i in range(40)]
    table = raw("when,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    description = describe_all_columns(table, "y")[0]
    assert (description.kind, description.missing) == (kind, 5)


def test_zeros_are_not_read_as_days(raw):
    cells = [f"2021{1 + i % 12:02d}{1 + i % 28:02d}" for i in range(60)]
    cells[7] = "00000000"
    raw_table = raw("when,y\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    description = describe_all_columns(raw_table, "y")[0]
    assert (description.kind, description.missing) == ("date", 1)
    assert any("00000000" in each.sentence for each in description.findings)


def test_iso_dates_are_parsed_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = ["2024-02-29", "2023-02-29", "1700-01-01", "1699-12-31", "2199-12-31", "2024-00-10"]
    cells += ["2024-13-01", "2024-01-32", "2024-01-00", "1969-12-31"]
    seconds = DateFormat("day-first").parse(cells)
    monkeypatch.setattr(dates, "_parse_iso_days", lambda _: None)
    assert np.array_equal(seconds, DateFormat("day-first").parse(cells), equal_nan=True)
    assert int(np.isnan(seconds).sum()) == 6
