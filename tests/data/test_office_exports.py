"""Tables as banks, office programs and instruments export them."""

import numpy as np
import pytest

LINES = [(i / 4 - 3, "no" if i % 3 else "yes") for i in range(24)]

BANK = "Kontonummer:;DE12 5001\r\nKontostand:;1.234,56 EUR\r\n\r\nTag;Betrag;y\r\n" + "".join(
    f'"{1 + i:02d}.01.2024";"{a:.2f}";"{y}"\r\n'.replace(f"{a:.2f}", f"{a:.2f}".replace(".", ","))
    for i, (a, y) in enumerate(LINES)
)

SAP = "28.03.2024     List     1\n------------\n|Kunde|Betrag  |y  |\n------------\n" + "".join(
    f"|{100 + i:<5}|{abs(a):>7.2f}{'-' if a < 0 else ' '}|{y:<3}|\n"
    for i, (a, y) in enumerate(LINES)
)

SURVEY = "Respondent ID,Age?,y\n,Open-Ended Response,Response\n" + "".join(
    f"{9000 + 7 * i},{20 + i},{y}\n" for i, (_, y) in enumerate(LINES)
)

LOGGER = "TS,RECORD,Air,y\nTS,RN,Deg C,\n,,Avg,\n" + "".join(
    f"2024-01-01 {i % 24:02d}:00,{i},{a},{y}\n" for i, (a, y) in enumerate(LINES)
)

R_TABLE = '"a" "y"\n' + "".join(f'"{1 + i}" {a} "{y}"\n' for i, (a, y) in enumerate(LINES))

ALIGNED = "  a   b y\n" + "".join(f"{a:>6} {i:>5}  {y:<3}\n" for i, (a, y) in enumerate(LINES))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (BANK, ("Tag", "Betrag", "y")),
        (SAP, ("Kunde", "Betrag", "y")),
        (SURVEY, ("Respondent ID", "Age?", "y")),
        (LOGGER, ("TS", "RECORD", "Air", "y")),
        (R_TABLE, ("column 1", "a", "y")),
        (ALIGNED, ("a", "b", "y")),
    ],
    ids=["bank", "SAP", "survey", "logger", "R", "aligned"],
)
def test_exports_of_office_programs_are_read(raw, text, names):
    table = raw(text)
    assert (table.names, table.n_rows) == (names, len(LINES))
    assert set(table.get_distinct(len(names) - 1).known_labels[0]) == {"no", "yes"}
    numbers = table.get_distinct(len(names) - 2)
    assert not np.isnan(numbers.numbers).any()
