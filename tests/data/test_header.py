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
        ("$5.50,7%,no\n$7.25,3%,yes\n$9.75,5%,no", False),
        ("1.5D-02,12·5,no\n2.5D+01,7·5,yes\n3.5D+00,9·5,no", False),
        ("1'234,kg 7.5,no\n5'678,kg 2.5,yes\n9'876,kg 3.5,no", False),
        ("5m,R1,y\n1.5,3,no\n2.5,4,yes", True),
        ("0,1,2\n0.94,0.36,2\n-0.44,-1.4,0\n0.5,0.9,1", True),
        ("0,1,2\n0.94,3,2\n-0.44,5,0\n0.5,8,1", False),
        ("1,2,2\n0.94,0.36,2\n-0.44,-1.4,0\n0.5,0.9,1", False),
        ("cost,share,y\n$5.50,7%,no\n$7.25,3%,yes", True),
    ],
)
def test_header_is_guessed_from_rows_below(text, header):
    guess = guess_header(parse_rows(text), NumberFormat())
    assert guess.is_header is header
    assert guess.evidence.endswith(".")
