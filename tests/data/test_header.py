import pytest

from studio.data.header import guess_header
from studio.data.numbers import NumberFormat


def parse_rows(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n3,4", True),
        ("1,2\n3,4", False),
        ("country,2019,2020\nFrance,1,2\nItaly,3,4", True),
        ("name,city\nAnn,Rome\nBob,Oslo", True),
        ("low,high\nlow,med\nhigh,high\nmed,low", False),
        ("a,b", True),
        ("1,2", False),
        ("x,y\n,\n,", True),
        (",a,b\n0,1.5,x\n1,2.5,y", True),
    ],
)
def test_header_is_guessed_from_rows_below(text, header):
    guess = guess_header(parse_rows(text), NumberFormat())
    assert guess.is_header is header
    assert guess.evidence.endswith(".")
