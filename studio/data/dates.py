"""Date formats, and the conversion of text to dates and their parts.

A stripped cell is a date if it has the year first (2024-01-31) or the column's order (31.01.2024,
1/31/2024, 01/2024, 20240131), separated by ``-``, ``/`` or ``.``, optionally followed by a time of
day (18:30, 18:30:05). Where the column uses words, months may be names (31 January 2024, 31JAN2024)
and times of day have AM or PM; quarters and ISO weeks (2024-W05) begin on their first day, 2024-031
has the day of the year, and East Asian signs and a year after the time are supported
(:data:`WORD_PAIRS`). Fractions of seconds and the time zone (Z, +02:00) are ignored: the hour is
local to the writer. Years from 1700 to 2199 are dates; others mostly mean "unknown".

Years of two digits (31.01.24, 1/31/24, 24-01-31) are separate orders, which also read those of
four: 69 to 99 are 1969 to 1999, and 00 to 68 are 2000 to 2068, as in POSIX, unless the column has
another pivot. Serial numbers are Excel's days since 1899-12-30, and programs count seconds or
milliseconds since 1970.

The rules are data (pairs of a pattern and its replacement, and one pattern for each order), so an
exported pickle does exactly the same with pandas alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Literal, TypeGuard, get_args

import numpy as np

from studio.arrays import Floats
from studio.data.notations import NOTATIONS, Pair
from studio.data.numbers import NumberFormat, apply_pairs, parse_numbers
from studio.errors import UsageError
from studio.phrases import phrase

Order = Literal[
    "year-first", "day-first", "month-first",
    "day-first-short", "month-first-short", "year-first-short",
    "year-month", "month-year", "week", "year-day", "compact", "serial", "epoch-seconds",
    "epoch-milliseconds", "epoch-microseconds", "epoch-nanoseconds",
]  # fmt: skip
Part = Literal["days", "year", "month", "day", "weekday", "hour"]

ORDERS: tuple[Order, ...] = ("year-first", "day-first", "month-first")
SHORT_ORDERS: tuple[Order, ...] = ("day-first-short", "month-first-short")
"""Orders with two-digit years at the end."""

MONTH_ORDERS: tuple[Order, ...] = ("year-month", "month-year")
"""Orders of months without days, which start on their first day."""

ALL_ORDERS: tuple[Order, ...] = get_args(Order)

PARTS: tuple[Part, ...] = get_args(Part)
"""Days since 1970 with their fraction, and calendar and clock fields; Monday is weekday 0."""

PART_WORDS: Mapping[Part, str] = {
    "days": phrase("days"),
    "year": phrase("year"),
    "month": phrase("month"),
    "day": phrase("day"),
    "weekday": phrase("weekday"),
    "hour": phrase("hour"),
}
"""Names of the parts as phrases; columns are named by :data:`PARTS`."""

PART_VALUES: Mapping[Part, Mapping[int, str]] = {
    "month": dict(enumerate((
        phrase("Jan"), phrase("Feb"), phrase("Mar"), phrase("Apr"), phrase("May"), phrase("Jun"),
        phrase("Jul"), phrase("Aug"), phrase("Sep"), phrase("Oct"), phrase("Nov"), phrase("Dec"),
    ), 1)),
    "weekday": dict(enumerate((
        phrase("Mon"), phrase("Tue"), phrase("Wed"), phrase("Thu"), phrase("Fri"), phrase("Sat"),
        phrase("Sun"),
    ))),
}  # fmt: skip

SECONDS_PER_DAY = 86_400
"""Seconds of a day."""

CENTURY_PIVOT = 69
"""The usual first two-digit year of the 20th century."""

STORED_NUMBERS = NumberFormat(",", notations=("quoted",))
"""The format of stored dates: 45306.378, 45306,378, ="45306" or /Date(1700000000000)/."""

STORED: Mapping[Order, tuple[float, float, int, float]] = {
    "serial": (1.0, 2_958_465.0, 25_569, SECONDS_PER_DAY),
    "epoch-seconds": (1e8, 7.25e9, 0, 1.0),
    "epoch-milliseconds": (1e11, 7.25e12, 0, 1e-3),
    "epoch-microseconds": (1e14, 7.25e15, 0, 1e-6),
    "epoch-nanoseconds": (1e17, 7.25e18, 0, 1e-9),
}
"""Dates stored as numbers: first and last number, that of 1970-01-01, and seconds per unit."""

PM_PLACEHOLDER, MONTH_NAME_PLACEHOLDER, END_PLACEHOLDER = "\x01", "\x02", "\x03"
"""Placeholders: after a time in the afternoon (PM), before a month given by name, and after the
noon that stands for the end of a day (24:00).
"""

PM_GROUP = f"(?P<pm>[{PM_PLACEHOLDER}{END_PLACEHOLDER}])?"
"""Pattern of a placeholder that adds twelve hours to the time before it."""

_MONTHS = (
    "j[aä]n(?:ner|u[aá]r[yia]?|eiro|vier|v)?|jaanuar|enero|ene|gennaio|gen(?:er)?|sty(?:cznia|czeń)?|led(?:na|en)?|ianuarie"
    "|oca(?:k)?|tammikuu(?:ta)?|sausio|janvāris|янв(?:аря|арь)?|януари|січня|يناير|ב?ינואר|ιαν(?:ουαρίου|ουάριος)?",
    "feb(?:ru[aá]r[yia]?|ruarie|rer|er|r)?|veebruar|f[ée]v(?:rier|ereiro|r)?|febrero|febbraio|lut(?:ego|y)?"
    "|úno(?:ra|r)?|şub(?:at)?|helmikuu(?:ta)?|vasario|februāris|фев(?:раля|раль|р|руари)?|лютого|فبراير|ב?פברואר|φεβ(?:ρουαρίου|ρουάριος)?",
    "mar(?:ch|s|zo|ts|ço?|ca|t|tie|et)?|märts|m[äa]rz|mrz|m[äaá]rc?|maart|mrt|marec|marzec|mac|bře(?:zna|zen)?|március"
    "|maaliskuu(?:ta)?|kovo|marts|мар(?:та?)?|березня|مارس|ב?מר[ץס]|μαρ(?:τίου)?|μάρτιος",
    "apr(?:ill?|ile|ilie|íla)?|avr(?:il)?|abril|abr|kwi(?:etnia|ecień)?|dub(?:na|en)?|ápr(?:ilis)?|nis(?:an)?"
    "|huhtikuu(?:ta)?|balandžio|aprīlis|апр(?:еля|ель|ил)?|квітня|[أا]بريل|ב?אפריל|απρ(?:ιλίου|ίλιος)?",
    "may|mai|mayo|maggio|mag|maio|mei|maja?|maig|kvě(?:tna|ten)?|máj(?:us|a)?|mayıs|toukokuu(?:ta)?|gegužės|maijs|мая|май|травня|مايو|ב?מאי|μαΐ(?:ου)?|μάιος|μαι",
    "june?|juni|juin|junio|giugno|giu|junho|juny|juuni|junija?|cze(?:rwca|rwiec)?|červ(?:na|en)|čvn|jún(?:ius|a)?|iunie|haz(?:iran)?"
    "|kesäkuu(?:ta)?|birželio|jūnijs|июн[яь]?|юни|червня|يونيو|ב?יוני|ιουν(?:ίου)?|ιούνιος",
    "july?|juli(?:ol)?|juuli|juil(?:let|l)?|julio|luglio|lug|julho|julija?|julai|lip(?:ca|iec)?|červen(?:ce|ec)|čvc|júl(?:ius|a)?|iulie"
    "|tem(?:muz)?|heinäkuu(?:ta)?|liepos|jūlijs|июл[яь]?|юли|липня|يوليو|ב?יולי|ιουλ(?:ίου)?|ιούλιος",
    "aug(?:ust(?:i|us|a)?|usztus)?|ao[ûu]t|agosto?|agustus|ago|avgusta?|ogos|sie(?:rpnia|rpień)?|srp(?:na|en)?|ağu(?:stos)?"
    "|elokuu(?:ta)?|rugpjūčio|augusts|авг(?:уста?)?|серпня|[أا]غسطس|ב?אוגוסט|αυγ(?:ούστου)?|αύγουστος",
    "sept?(?:ember|embar|embre|iembre|embrie|embra)?|settembre|set(?:embr[oe])?|szept(?:ember)?|wrz(?:eśnia|esień)?"
    "|září?|eyl(?:ül)?|syyskuu(?:ta)?|rugsėjo|septembris|сен(?:тября|тябрь|т)?|септември|вересня|سبتمبر|ב?ספטמבר|σεπ(?:τεμβρίου|τέμβριος)?",
    "oct(?:ober|obre|ubre|ombrie)?|okt(?:[oó]ber|oober|obar|[oó]bra)?|ottobre|ott|out(?:ubro)?|paź(?:dziernika?)?"
    "|říj(?:na|en)?|eki(?:m)?|lokakuu(?:ta)?|spalio|oktobris|окт(?:ября|ябрь|омври)?|жовтня|[أا]كتوبر|ב?אוקטובר|οκτ(?:ωβρίου|ώβριος)?",
    "nov(?:ember|embar|embre|embra|iembre|embro|embris?|iembrie|ie)?|noiembrie|lis(?:topad[au]?)?|kas(?:ım)?"
    "|marraskuu(?:ta)?|lapkričio|novembris|ноя(?:бря|брь|б)?|ноември|листопада|نوفمبر|ב?נובמבר|νοε(?:μβρίου)?|νοέμβριος",
    "de[cs](?:ember|embar|embrie|embr[ea])?|detsember|dez(?:ember|embro)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?"
    "|disember|gru(?:dnia|dzień)?|pro(?:since|sinec)?|ara(?:lık)?|joulukuu(?:ta)?|gruodžio|decembris|дек(?:абря|абрь|ември)?|грудня|ديسمبر|ב?דצמבר|δεκ(?:εμβρίου)?|δεκέμβριος",
)
CROATIAN_MONTHS = (
    "siječ(?:nja|anj)", "veljač[ae]", "ožuj(?:ka|ak)", "trav(?:nja|anj)", "svib(?:nja|anj)",
    "lip(?:nja|anj)", "srp(?:nja|anj)", "kolovoza?", "ruj(?:na|an)",
    r"listopad(?:a|(?= [0-9]{4}\.))", "studen(?:i|og|oga)", "prosin(?:ca|ac)",
)  # fmt: skip
"""Croatian names after a day or before a year with a full stop, as in Croatian and not in Polish,
where listopada is November.
"""
_ROMAN_MONTHS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_LETTER = r"[^\W\d_]"
_WEEKDAYS = (
    "mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|"
    "sun(?:day)?|mo(?:ntag)?|di(?:enstag)?|mi(?:ttwoch)?|do(?:nnerstag)?|fr(?:eitag)?|sa(?:mstag)?|"
    "so(?:nntag)?|lun(?:di|es)?|mardi|martes|mer(?:credi)?|mi[ée]rcoles|jeu(?:di)?|jueves|"
    "ven(?:dredi|erd[iì])?|vie(?:rnes)?|sam(?:edi)?|s[áa]b(?:ado|ato)?|dim(?:anche)?|"
    "dom(?:ingo|enica)?|mi[ée]|jue|luned[iì]|marted[iì]|mercoled[iì]|gio(?:ved[iì])?|"
    "(?:seg(?:unda)?|ter(?:[çc]a)?|qua(?:rta)?|qui(?:nta)?|sex(?:ta)?)(?:-feira)?|"
    r"mar(?=[.,]*\s+[0-9]+(?:[-/.][0-9]+[-/.]|\s+[^\W\d_]{3}))"  # also an abbreviation of March
)
_QUARTERS = (1, 4, 7, 10)
_NAMED_MONTH = rf"^(\s*{MONTH_NAME_PLACEHOLDER}[0-9]{{2}})\s*[-/']*\s*"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_HOUR_AND_MINUTE = (
    r"^(.*(?:[0-9]{4}|(?:[^\W\d_][-/ ]|[0-9][-/.])[0-9]{2}),?\s+[0-2]?[0-9])\.([0-5][0-9])"
)
_END = r"(?=\s*(?:[aApP]\.?\s?[mM]\.?)?$)"
_YEAR_LAST_DIGITS = "([0-3]?[0-9])([0-3][0-9])((?:19|20)[0-9]{2})"
WORD_PAIRS: tuple[Pair, ...] = (
    *(pair for key in ("digits", "quoted") for pair in NOTATIONS[key].pairs),
    (r"^D:(?=[0-9]{8})|(?<=[+-][0-9]{2}'[0-9]{2})'$|(?<=[+-][0-9]{2})'(?=[0-9]{2})", ""),
    (r"^\[(.*)\]$|\s?\[[\w+-]+/[\w/+-]+\]$|\s[A-Z][a-z]+/[A-Z]\w+$", r"\1"),
    (r"(?i)\s(?:um|at|of|klo?\.?|à|às|a las|om|ore|alle|godz\.?|d[eo]l?)\s+(?=\w)", " "),
    (r"^([0-9]{4})[:_ ]([0-9]{2})[:_ ]([0-9]{2})(?=\s|$)", r"\1-\2-\3"),
    (r"^([0-9]{2})[_ ]([0-9]{2})[_ ]([0-9]{4})(?=\s|$)", r"\1-\2-\3"),
    (f"^{_YEAR_LAST_DIGITS}$", r"\1-\2-\3"),
    (r"^([0-9]{2})([0-9]{2})([0-9]{2})$", r"\1-\2-\3"),
    (r"^(0[1-9]|1[0-2])/([0-5][0-9]|6[0-8])$", r"\1/20\2"),
    (r"(?<=[0-9]\.)\s?['’](?=[0-9]{2}(?:\s|$))", ""),
    (r"^([0-9]{1,2}/)\s?([0-9]{1,2})['’](?=[0-9]{2}$)", r"\1\2/"),
    (r"(?<=[0-9])\s*[-–|]\s*(?=[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?$)", " "),
    (
        r"^([0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?(?:\s?[aApP]\.?[mM]\.?)?)[, ]+"
        r"(?=[0-9]+[./-]|.*[0-9]{4}$)(.*)$",
        r"\2 \1",
    ),
    (rf"^({_DAY})[-_T ]([0-2][0-9])$", r"\1 \2:00"),
    (rf"^({_DAY})[-_T ]([0-2][0-9])[.-]([0-5][0-9])[.-]([0-5][0-9])(?:\.[0-9]+)?$", r"\1 \2:\3:\4"),
    (rf"{_HOUR_AND_MINUTE}\.([0-5][0-9])(?:[.,][0-9]+)?{_END}", r"\1:\2:\3"),
    (rf"{_HOUR_AND_MINUTE}{_END}", r"\1:\2"),
    (r"[(（][^()（）]*[)）]", " "),
    (rf"(?i)^\s*(?:{_WEEKDAYS})[.,]*\s+(?=\S)|(?<=[0-9])[.,]?\s+(?:{_WEEKDAYS})\.?$", ""),
    (r"[年月년월]\s*(?=[0-9])", "-"),
    (r"(?i)^ngày\s+|^tháng\s+(?=[0-9])|,?\s+năm(?=\s+[0-9]{4})|,(?=\s+[0-9]{4}$)", ""),
    (r"(?i)(?<=[0-9])\s+tháng\s+([0-9]{1,2})[\s/-]+(?=[0-9]{4})", r"-\1-"),
    (r"(?:上午|午前|오전)\s*([0-9:]+)", r"\1 am"),
    (r"(?:下午|午後|오후)\s*([0-9:]+)", r"\1 pm"),
    (r"(?<=[0-9])\s*(?:π\.?\s?μ\.?|ص(?!\w))", " am"),
    (r"(?<=[0-9])\s*(?:μ\.?\s?μ\.?|م(?!\w))", " pm"),
    (r"(?<=[時时点시分분])\s*([0-9])(?=[分분秒초])", r"0\1"),
    (r"[時时点시]\s*$", ":00"),
    (r"[時时点시分분]\s*(?=[0-9])", ":"),
    (r"[日号일]|[月월分秒분초]\s*$", " "),
    (r"(?i)(?<=:[0-9]{2})\s*(?:uhr|uur|hrs?|h)\.?$", ""),
    (r"(?i)(?<![0-9:])([01]?[0-9]|2[0-3])\s?h\s?([0-5][0-9])(?![0-9])", r"\1:\2"),
    (r"(?i)(?<=[0-9])\s*(?:г|р|год|року|r|roku)\.?(?=$|,| [0-9])", ""),
    *(
        (rf"(?i)^{roman}(?=\s?(?:kw|кв|quart|trim|čtvrt))", number)
        for number, roman in zip("4321", ("IV", "III", "II", "I"), strict=True)
    ),
    (
        r"(?i)^Q(?:tr|uarter)?\.?\s?([1-4])(?:[-/' ]*(?=[0-9]{4})|[-/' ]+)([0-9]{4}|[0-9]{2})$",
        r"\2Q\1",
    ),
    (r"^T([1-4])[-/ ]+([0-9]{4})$", r"\2Q\1"),
    (r"(?i)^(?:KW|CW|W(?:eek|oche)?)\.?\s?([0-9]{1,2})[-/, ]+([0-9]{4})$", r"\2-W\1"),
    (
        r"(?i)^([1-4])(?:st|nd|rd|th|er|e|ème|\.)?\s?(?:Q(?:tr|uarter)?\.?|Quartal|T(?:rimestre)?|kw(?:artał|\.|(?=\s))|кв(?:артал|\.)?|"
        r"čtvrtletí)[-/' ]*([0-9]{4}|(?<=Q)[0-9]{2})$",
        r"\2Q\1",
    ),
    (r"(?i)^([0-6][0-9])Q([1-4])$", r"20\1Q\2"),
    (r"(?i)^([7-9][0-9])Q([1-4])$", r"19\1Q\2"),
    *(
        (rf"(?i)^([0-9]{{4}})[-/ ]?[QT](?:tr|uarter)?\.?\s?{number}$", rf"\1-{month:02d}")
        for number, month in enumerate(_QUARTERS, 1)
    ),
    (r"(?i)^([HS][12])[-/ ]+((?:19|20)[0-9]{2})$", r"\2\1"),  # S1/1801 is a serial number
    (r"(?i)^([0-9]{4})[-/ ]?[HS]1$", r"\1-01"),
    (r"(?i)^([0-9]{4})[-/ ]?[HS]2$", r"\1-07"),
    (r"^([0-9]{4})[- ]?[mM]([0-9]{1,2})$", r"\1-\2"),
    *(
        (
            rf"(?i)(?<!{_LETTER})(?:{names}|(?:(?<=[0-9][-/.])|(?<=[0-9]\. ))(?-i:{roman})"
            rf"(?=[-/. ]+[0-9]{{4}})|(?<=[0-9]\. ){croatian}|{croatian}(?= [0-9]{{4}}\.))"
            rf"(?!{_LETTER})\.?",
            f" {MONTH_NAME_PLACEHOLDER}{number:02d} ",
        )
        for number, (names, roman, croatian) in enumerate(
            zip(_MONTHS, _ROMAN_MONTHS, CROATIAN_MONTHS, strict=True), 1
        )
    ),
    (rf"{_NAMED_MONTH}((?:[0-5][0-9]|6[0-8])\s*$)", r"\1 20\2"),
    (rf"{_NAMED_MONTH}([0-9]{{2}}\s*$)", r"\1 19\2"),
    (r"(?i)(?<=[0-9])(?:st|nd|rd|th|er|º)(?![a-z])", ""),
    (
        r"^(.*\s)([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)(\s+[A-Z]{3,4}|\s+[+-][0-9]{4}|)\s+([0-9]{4})(\s[+-][0-9]{4})?$",
        r"\1\4 \2\3\5",
    ),
    (r"(?i)(?<![0-9:])([0-9]{1,2})\s*([ap])\.?\s?m\.?$", r"\1:00 \2m"),
    (r"(?i)(?<![0-9:])12(:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s*[ap])\.?\s?m\.?", r"00\1m"),
    (r"(?i)(?<=[0-9])\s*a\.?\s?m\.?(?![a-z])", ""),
    (r"(?i)(?<=[0-9])\s*p\.?\s?m\.?(?![a-z])", PM_PLACEHOLDER),
    (r"(?<=[T_ ,])24:00(?::00(?:[.,]0+)?)?(?![0-9:])", f"12:00{END_PLACEHOLDER}"),
)
"""Rewritings of weekdays, East Asian signs, quarters (as their first month), month names, ordinals,
AM and PM, in this order; a year after the time of day is moved before it.
"""

_YEAR_LAST: Pair = (rf"^\s*{_YEAR_LAST_DIGITS}(?:\.0)?\s*$", r"\1/\2/\3")
UNSEPARATED_PAIRS: Mapping[Order, Sequence[Pair]] = {
    "year-first": [(r"^\s*((?:19|20)[0-9]{2})([01][0-9])([0-3][0-9])(?:\.0)?\s*$", r"\1-\2-\3")],
    # Also of short years, as 20624 may be a serial number.
    **dict.fromkeys((*ORDERS[1:], *SHORT_ORDERS), (_YEAR_LAST,)),
    "year-month": [(r"^\s*((?:19|20)[0-9]{2})([01][0-9])(?:\.0)?\s*$", r"\1-\2")],
    "month-year": [(r"^\s*([01]?[0-9])((?:19|20)[0-9]{2})(?:\.0)?\s*$", r"\1-\2")],
}
"""Rewritings of dates whose full stops were read as thousands separators: 02.06.2024 as 2062024."""

_POLISH_NOVEMBER: Pair = (r"(?i)listopada", "lis")

FULL_YEAR = "(?:1[7-9]|2[01])[0-9]{2}"
SHORT_YEAR = f"(?P<year>{FULL_YEAR}|[0-9]{{2}})"
"""Patterns of a year, and of one that may have two digits."""

_GROUPS = {
    "year": f"(?P<year>{FULL_YEAR})",
    "short": SHORT_YEAR,
    "month": "(?P<month>[0-9]{1,2})",
    "day": "(?P<day>[0-9]{1,2})",
}
_ENTRIES: dict[Order, tuple[str, ...]] = {
    "year-first": ("year", "month", "day"),
    "day-first": ("day", "month", "year"),
    "month-first": ("month", "day", "year"),
    "day-first-short": ("day", "month", "short"),
    "month-first-short": ("month", "day", "short"),
    "year-first-short": ("short", "month", "day"),
    "year-month": ("year", "month"),
    "month-year": ("month", "year"),
}
_SHORT = (
    rf"(?=[0-9]{{2}}-[0-9]{{2}}-|[0-9]{{1,2}}\.[0-9]{{1,2}}\.|[0-9]{{1,2}}/[0-9]{{1,2}}/|"
    rf"[0-9]{{1,2}}[-/. ]+{MONTH_NAME_PLACEHOLDER}|{MONTH_NAME_PLACEHOLDER})"
)
"""Days and months between hyphens may also have two digits."""

HOUR, HOUR_BEFORE_NOON = "(?P<hour>[01]?[0-9]|2[0-3])", "(?P<hour>0?[0-9]|1[01])"
"""Patterns of the hours of a day, and of those increased by twelve for PM."""

_CLOCK = f"(?:[T_ ,:]+{HOUR}:(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:[.,][0-9]*)?)?)?"
_NO_CLOCK = "(?P<hour>(?!))?(?P<minute>(?!))?(?P<second>(?!))?"
_MINUTES = "(?:00|15|30|45)"
_ZONE = (
    "(?P<zone>Z|[A-Z]{3,4}|(?:UTC|GMT)?[+-](?:0?[0-9]|1[0-4])"
    f"(?(hour):?{_MINUTES}?|:{_MINUTES}))?"
)
"""A time zone; without a time of day before it, an offset has a colon: 2021-09-28-007 is a code."""
_EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class DateFormat:
    """The date format of a column; dates with the year first are always accepted.

    With ``words``, months may be names, and times of day have AM or PM. Two-digit years from
    ``pivot`` (0 to 99) on are of the 20th century. ``is_polish`` makes every listopada November,
    which after a day with a full stop is otherwise October, as in Croatian. ``is_unseparated``
    also reads whole numbers of the same digits (:data:`UNSEPARATED_PAIRS`).
    """

    order: Order
    has_words: bool = False
    pivot: int = CENTURY_PIVOT
    is_polish: bool = False
    is_unseparated: bool = False

    def __post_init__(self) -> None:
        if self.order not in ALL_ORDERS:
            raise UsageError(
                "The order of dates must be one of {orders}; {order!r} was given.",
                orders=", ".join(ALL_ORDERS),
                order=self.order,
            )
        if not 0 <= self.pivot <= 99:
            raise UsageError(
                "The century pivot of dates must be from 0 to 99; {pivot} was given.",
                pivot=self.pivot,
            )

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Replacements applied before matching."""
        return (
            *(UNSEPARATED_PAIRS.get(self.order, ()) if self.is_unseparated else ()),
            *((_POLISH_NOVEMBER,) if self.has_words and self.is_polish else ()),
            *(WORD_PAIRS if self.has_words else ()),
        )

    @cached_property
    def patterns(self) -> list[tuple[Order, str]]:
        """The orders tried for a cell, with their regular expressions; the first match counts.

        A named month may also follow the day where the others precede it, and vice versa.
        """
        orders = dict.fromkeys((ORDERS[0], self.order))
        patterns = [(order, make_pattern(order, words=self.has_words)) for order in orders]
        pair = next((each for each in (ORDERS[1:], SHORT_ORDERS) if self.order in each), ())
        if self.has_words:
            others = (order for order in pair if order != self.order)
            patterns += [(order, make_pattern(order, words=True, named=True)) for order in others]
        return patterns

    def parse(self, texts: Sequence[str], *, zoned: bool = False) -> Floats:
        """Parse cells to seconds since 1970, (n,), NaN for others; ``zoned`` in UTC, else local."""
        if self.order in STORED:
            low, high, epoch, unit = STORED[self.order]
            numbers = parse_numbers(list(texts), STORED_NUMBERS)
            is_stored = (numbers >= low) & (numbers <= high)
            seconds = np.round((np.where(is_stored, numbers, np.nan) - epoch) * unit)
            return np.where(is_stored, seconds, DateFormat(ORDERS[0]).parse(texts))
        return self.parse_rewritten(apply_pairs(texts, self.pairs), zoned=zoned)

    def parse_rewritten(self, cells: Sequence[str], *, zoned: bool = False) -> Floats:
        """Return the same, (n,), for cells after the (slow) :attr:`pairs`."""
        days = _parse_iso_days(cells)
        if days is not None:
            return days * SECONDS_PER_DAY
        patterns = [re.compile(pattern) for _, pattern in self.patterns]
        return np.array(
            [_parse_moment(text, patterns, self.pivot, zoned=zoned) for text in cells],
            dtype=np.float64,
        )


@dataclass(frozen=True)
class DatePart:
    """A part of the dates of a column.

    Attributes:
        order, words, pivot, polish, is_unseparated: As in :class:`DateFormat`.
        mark: The separator of their numbers, for :func:`format_date`; empty if unknown.
    """

    part: Part
    order: Order
    words: bool = False
    mark: str = ""
    pivot: int = CENTURY_PIVOT
    polish: bool = False
    is_unseparated: bool = False

    def __post_init__(self) -> None:
        if self.part not in PARTS:
            raise UsageError(
                "A part of a date must be one of {parts}; {part!r} was given.",
                parts=", ".join(PARTS),
                part=self.part,
            )
        _ = self.format  # rejects other orders and pivots

    @property
    def format(self) -> DateFormat:
        """The date format."""
        return DateFormat(self.order, self.words, self.pivot, self.polish, self.is_unseparated)

    def with_format(self, date_format: DateFormat) -> "DatePart":
        """Return the part of dates of another format."""
        return replace(
            self,
            order=date_format.order,
            words=date_format.has_words,
            pivot=date_format.pivot,
            polish=date_format.is_polish,
            is_unseparated=date_format.is_unseparated,
        )

    def compute_values(self, texts: Sequence[str]) -> Floats:
        """Return a date part of each cell, shape (n,); NaN for other cells."""
        return extract_part(self.format.parse(texts), self.part)


def make_pattern(order: Order, *, words: bool = False, named: bool = False) -> str:
    """Return the regular expression of a whole cell, including surrounding blanks.

    With ``words``, the month may be a name; with ``named``, it must be.

    Its groups are year, month and day; hour, minute and second for a time of day; and ``pm`` for
    cells with words.
    """
    pm = PM_GROUP if words else ""
    if order == "compact":
        clock = (
            "(?P<hour>[01][0-9]|2[0-3])(?::?(?P<minute>[0-5][0-9])(?::?(?P<second>[0-5][0-9]))?)?"
        )
        return (
            rf"^\s*{_GROUPS['year']}(?P<month>0[1-9]|1[0-2])(?P<day>[0-2][0-9]|3[01])?"
            rf"(?:[T _:-]?{clock})?(?:\.0)?{pm}{_ZONE}\s*$"
        )
    if order == "week":
        before = r"(?:-?W|[-/_ ]?(?=[0-9]{1,2}\s*$))"
        return rf"^\s*{_GROUPS['year']}{before}(?P<week>[0-5]?[0-9])(?:-?(?P<day>[1-7]))?\s*$"
    if order == "year-day":
        return rf"^\s*{_GROUPS['year']}-?(?P<ordinal>[0-3][0-9]{{2}})\s*$"
    groups = [_GROUPS[each] for each in _ENTRIES[order]]
    if words:
        sign = MONTH_NAME_PLACEHOLDER + "?" * (not named)
        groups = [sign + each if "<month>" in each else each for each in groups]
    entries = ("[-/., ]+" if words else r"(?:[-/]|\. ?)").join(groups)
    if order in MONTH_ORDERS:
        return rf"^\s*{entries}\.?{_NO_DAY}{_NO_CLOCK}{pm}\s*$"
    short = _SHORT if order.endswith("short") else ""
    return rf"^\s*{short}{entries}\.?{_CLOCK}{pm}\s*{_ZONE}\s*$"


_NO_DAY = "(?P<day>(?!))?"


_PLAIN_WIDTH = 10  # number of characters of 2024-01-15


def _parse_iso_days(cells: Sequence[str]) -> Floats | None:
    """Return days since 1970, (n,), if all cells are like 2024-01-15: a fast path for any order."""
    if set(map(len, cells)) != {_PLAIN_WIDTH} or not (text := "".join(cells)).isascii():
        return None
    characters = np.frombuffer(text.encode(), dtype=np.uint8).reshape(-1, _PLAIN_WIDTH)
    digits = characters[:, (0, 1, 2, 3, 5, 6, 8, 9)].astype(np.int64) - ord("0")
    if (characters[:, (4, 7)] != ord("-")).any() or (digits < 0).any() or (digits > 9).any():
        return None
    years = digits[:, :4] @ (1000, 100, 10, 1)
    months, days = digits[:, 4] * 10 + digits[:, 5], digits[:, 6] * 10 + digits[:, 7]
    first = ((years - 1970) * 12 + months - 1).astype("datetime64[M]")
    parsed = first.astype("datetime64[D]") + (days - 1)
    valid = (years >= 1700) & (years < 2200) & (months > 0) & (months <= 12)
    valid &= (days > 0) & (parsed.astype("datetime64[M]") == first)
    return np.where(valid, parsed.astype(np.int64).astype(np.float64), np.nan)


def _parse_moment(text: str, regexes: list[re.Pattern[str]], pivot: int, *, zoned: bool) -> float:
    for regex in regexes:
        if (match := regex.match(text)) is not None:
            break
    else:
        return np.nan
    parts = match.groupdict("")
    year, day = int(parts["year"]), int(parts.get("day") or 1)
    year += 0 if year >= 100 else 2000 if year < pivot else 1900
    hour, minute, second = (int(parts.get(each) or 0) for each in ("hour", "minute", "second"))
    if parts.get("pm") == END_PLACEHOLDER or (parts.get("pm") and hour < 12):
        hour += 12
    offset = _parse_offset(parts.get("zone", "")) if zoned else 0
    try:
        if "week" in parts:
            day_of = date.fromisocalendar(year, int(parts["week"]), day)
        elif "ordinal" in parts:
            day_of = datetime.strptime(f"{year}-{parts['ordinal']}", "%Y-%j").date()
        else:
            day_of = date(year, int(parts["month"]), day)
    except ValueError:
        return np.nan
    days = day_of.toordinal() - _EPOCH
    return float(days * SECONDS_PER_DAY + 3600 * hour + 60 * minute + second - offset)


def _parse_offset(zone: str) -> int:
    """Return the UTC offset in seconds of +02:00 or GMT+2; 0 for named zones."""
    sign, digits = zone.lstrip("UTCGM")[:1], re.sub("[^0-9]", "", zone)
    if not digits:
        return 0
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    seconds = 3600 * int(hours) + 60 * int(minutes)
    return -seconds if sign == "-" else seconds


def extract_part(seconds: Floats, part: Part) -> Floats:
    """Return a part of times (seconds since 1970), shape (n,); NaN stays NaN."""
    if part == "days":
        return seconds / SECONDS_PER_DAY
    valid = ~np.isnan(seconds)
    whole_seconds = np.where(valid, seconds, 0.0).astype(np.int64)
    days = whole_seconds // SECONDS_PER_DAY
    months = days.astype("datetime64[D]").astype("datetime64[M]")
    values = {
        "year": months.astype("datetime64[Y]").astype(np.int64) + 1970,
        "month": months.astype(np.int64) % 12 + 1,
        "day": days - months.astype("datetime64[D]").astype(np.int64) + 1,
        "weekday": (days + 3) % 7,  # 1 January 1970 was a Thursday
        "hour": whole_seconds % SECONDS_PER_DAY // 3600,
    }[part]
    return np.where(valid, values, np.nan)


_SEPARATED_DATE = re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,4}(?:\1[0-9]{1,4})?(?![0-9])")

_MARKS = frozenset("-/.")

_SAMPLE_SIZE = 1000  # number of cells searched for a first date


def detect_date_style(cells: Sequence[str], date_format: DateFormat) -> DatePart:
    """Return a column's date style, for displaying others in the same way.

    The separator is that of the first date; empty for dates with words.
    """
    matches = filter(None, map(_SEPARATED_DATE.match, cells[:_SAMPLE_SIZE]))
    dates = (each for each in matches if not np.isnan(date_format.parse([each.string])[0]))
    mark = next((each[1] for each in dates), "")
    return DatePart("days", date_format.order, mark=mark).with_format(date_format)


def format_days(days: float) -> str:
    """Format days since 1970 as a date, year first; midnight is omitted."""
    return (
        str(np.datetime64(round(days * SECONDS_PER_DAY), "s"))
        .replace("T", " ")
        .removesuffix(" 00:00:00")
    )


def format_date(date_part: DatePart | None, days: float) -> str:
    """Format a date in its column's style; year first if unknown."""
    iso = format_days(days)
    first, _, clock = iso.partition(" ")
    year, month, day = first.split("-")
    if not _has_style(date_part):
        return iso
    is_short = date_part.order.endswith("short")
    if is_short and not 1900 <= int(year) - date_part.pivot < 2000:
        return iso
    entries = {"year": year, "short": year[2:], "month": month, "day": day}
    text = date_part.mark.join(entries[each] for each in _ENTRIES[date_part.order])
    return f"{text} {clock.removesuffix(':00')}".strip()


def _has_style(date_part: DatePart | None) -> TypeGuard[DatePart]:
    """Whether the numbers of a column's dates have known separators."""
    return date_part is not None and date_part.mark in _MARKS and date_part.order in _ENTRIES


_MONTHS_FROM, _YEARS_FROM = 200, 30 * 366
"""Span of an axis, in days, from which ticks show months or years and still differ."""


def format_tick(column: DatePart | None, days: float, span: float) -> str:
    """Format days since 1970 for an axis of this span in days, in the column's order."""
    if span < _MONTHS_FROM:
        return format_date(column, days).partition(" ")[0]
    year, month, _ = format_days(days)[:10].split("-")
    if span >= _YEARS_FROM:
        return year
    if not _has_style(column) or column.order.startswith("year"):
        return f"{year}-{month}"
    return f"{month}{column.mark}{year}"
