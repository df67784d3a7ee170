"""Group 1: encodings, and non-tabular files."""

import codecs
import gzip
import io
import pickle
import sqlite3
import zipfile
from random import Random

from torture.grid import Grid

WORDS = {
    "cp1252": ("Größe", "naïve", "façade"),
    "latin-1": ("Größe", "señor", "Ærø"),
    "cp1251": ("красный", "зелёный", "синий"),
    "koi8-r": ("красный", "зелёный", "синий"),
    "shift-jis": ("東京", "大阪", "京都"),
    "euc-jp": ("東京", "大阪", "京都"),
    "big5": ("台北", "高雄", "臺中"),
    "gb18030": ("北京", "上海", "广州"),
    "utf-16-le": ("red", "größer", "東京"),
    "utf-16-be": ("red", "größer", "東京"),
    "utf-32": ("red", "größer", "東京"),
    "utf-7": ("red", "größer", "東京"),
    "cp037": ("red", "green", "blue"),
}


def _another_encoding(grid: Grid, rng: Random) -> None:
    grid.encoding = rng.choice(list(WORDS))
    grid.set_column(2 % len(grid.header), [rng.choice(WORDS[grid.encoding]) for _ in grid.rows])
    # Text that resembles a single-byte encoding may be rejected, or split into other lines.
    grid.exact &= not grid.encoding.startswith(("utf-", "cp037"))


def _byte_order_mark(grid: Grid, rng: Random) -> None:
    mark = rng.choice((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"\xef\xbb"))
    grid.octets.append(lambda octets: mark + octets)
    grid.exact = False


def _wrong_encoding_option(grid: Grid, rng: Random) -> None:
    named = ("utf-8", "utf-16", "cp1252", "shift-jis", "no-such", "rot13", "base64", "", "utf-8\0")
    grid.options += ["--encoding", rng.choice(named)]
    grid.exact = False


def _mixed_encodings(grid: Grid, rng: Random) -> None:
    place = rng.random()
    extra = "é;ü".encode(rng.choice(("cp1252", "utf-16-le", "shift-jis")), errors="replace")
    grid.octets.append(lambda octets: _spliced(octets, place, extra))
    grid.exact = False


def _nul_bytes(grid: Grid, rng: Random) -> None:
    place, extra = rng.random(), b"\0" * rng.choice((1, 2, 50))
    grid.octets.append(lambda octets: _spliced(octets, place, extra))
    grid.exact = False


def _flipped_bytes(grid: Grid, rng: Random) -> None:
    seed, many = rng.random(), rng.choice((1, 5, 50))

    def flip(octets: bytes) -> bytes:
        draw, changed = Random(seed), bytearray(octets)
        for _ in range(many if changed else 0):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        return bytes(changed)

    grid.octets.append(flip)
    grid.exact = False


def _not_a_table(grid: Grid, rng: Random) -> None:
    whole = rng.choice(_others(rng))
    grid.octets.append(lambda octets: whole)
    grid.exact = False


def _nearly_empty_table(grid: Grid, rng: Random) -> None:
    """Make the table empty or blank, or leave a header, one row or one column."""
    many, few = rng.randint(0, 4), rng.randint(0, 2)
    whole = rng.choice(
        (b"", b"\n" * many, b" ", b"\0", b"a", b"a,b\n", b"a\n" + b"1\n" * many, b",\n" * 40,
         b"a,b\n" + b"1,2\n" * few, b"a\n" + b"x\ny\n" * 40, b'"', b'"\n"' * 40)
    )  # fmt: skip
    grid.octets.append(lambda octets: whole)
    grid.exact = False


def _cut_short(grid: Grid, rng: Random) -> None:
    part = rng.random()
    grid.octets.append(lambda octets: octets[: int(len(octets) * part)])
    grid.exact = False


def _terminal_commands(grid: Grid, rng: Random) -> None:
    mark = rng.choice(("\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202egpj.exe", "\x08\x08\x08"))
    where = rng.randrange(len(grid.header))
    grid.header[where] += mark
    grid.set_column(where, [f"{cell}{mark}" for cell in grid.column(where)])
    grid.exact = False


def _spliced(octets: bytes, place: float, extra: bytes) -> bytes:
    at = int(len(octets) * place)
    return octets[:at] + extra + octets[at:]


def _others(rng: Random) -> list[bytes]:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("picture.png", b"\x89PNG")
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE a (b)")
    return [
        rng.randbytes(rng.choice((1, 10, 1000, 100_000))),
        bytes(range(256)) * 20,
        archive.getvalue(),
        gzip.compress(rng.randbytes(1000)),
        connection.serialize(),
        pickle.dumps({"a": [1, 2]}),
        b'[{"a": 1, "b": 2}]' * 50,
        b"<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>",
        b"%PDF-1.7\n" + rng.randbytes(500),
        b"PAR1" + rng.randbytes(500) + b"PAR1",
        b"PK\x03\x04" + rng.randbytes(500),
        b"\x1f\x8b" + rng.randbytes(500),
        b"All work and no play makes Jack a dull boy.\n" * 50,
    ]


DAMAGES = (
    _another_encoding,
    _byte_order_mark,
    _wrong_encoding_option,
    _mixed_encodings,
    _nul_bytes,
    _flipped_bytes,
    _not_a_table,
    _nearly_empty_table,
    _cut_short,
    _terminal_commands,
)
