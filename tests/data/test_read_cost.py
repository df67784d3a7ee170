"""Memory limits during reading, with small bombs and low limits."""

import gzip
import tracemalloc

import numpy as np
import pytest

from studio.data import dialect, read_cost
from studio.data.dialect import iterate_lines as lines_of
from studio.data.read_cost import MAX_COLUMNS, MemoryBudget
from studio.data.reading import read
from studio.errors import DataError
from tests.facts import about

pytestmark = pytest.mark.slow

MULTIPLE, BESIDE = 40, 2 * 10**7
"""Memory limit of reading: a multiple of the text, plus bytes (docs/decisions/0038)."""


def make_lines_of_words() -> str:
    letters = np.random.default_rng(0).integers(97, 123, (40_000, 4), dtype=np.uint8)
    return "".join(bytes(word).decode() + "\n" for word in letters)


TEXTS = {
    "digits": lambda: "1,2\n" * 100_000,
    "numbers": lambda: "".join(
        f"{x:.6f},{y:.5f}\n" for x, y in np.random.default_rng(1).normal(size=(40_000, 2))
    ),
    "words": make_lines_of_words,
    "empty": lambda: "a" + "," * 99 + "\n" + ("," * 98 + "x\n") * 8000,
    "wide": lambda: ",".join(f"c{i}" for i in range(2500)) + ("\n" + "0.5," * 2499 + "1") * 40,
    "letters": lambda: "город,Москва\n" * 40_000,
}


@pytest.mark.parametrize("shape", TEXTS)
def test_reading_memory_is_bounded(save, shape) -> None:
    path = save(TEXTS[shape]())
    read(save("a,b\n1,2\n", "first.csv"))  # exclude the one-time cost of imports
    tracemalloc.start()
    raw = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert raw.n_rows > 30
    assert peak < MULTIPLE * path.stat().st_size + BESIDE


def test_equal_cells_share_memory(raw) -> None:
    column = raw("a,b\n" + "3.14,x\n3.14,y\n" * 3).columns[0]
    assert len({id(cell) for cell in column}) == 1


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress], ids=["plain", "gzip"])
def test_too_large_table_is_rejected_early_with_size(save, monkeypatch, pack) -> None:
    path = save(pack(b"1,2\n" * 2_000_000), "big.csv")
    monkeypatch.setattr(read_cost, "get_free_memory", lambda: 10**8)
    tracemalloc.start()
    size = about(n_rows=2e6, n_columns=2, whole="0.1 GB")
    with pytest.raises(DataError, match="Take a sample", check=size):
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10**8
    assert read(path, max_rows=100).n_rows == 100


def test_too_wide_header_is_rejected_before_padding(save, monkeypatch) -> None:
    path = save(",".join(map(str, range(5000))) + "\n" + "a\n" * 60_000)
    monkeypatch.setattr(read_cost, "get_free_memory", lambda: 3 * 10**7)
    with pytest.raises(DataError, match="Take a sample", check=about(n_columns=5000)):
        read(path)


def test_too_many_columns_are_rejected(save) -> None:
    with pytest.raises(DataError, match="300,000 columns; at most 250,000"):
        read(save("a" + "," * 299_999 + "\n" + "," * 299_999 + "b\n"))
    MemoryBudget("t.csv", 10**9).check(1, MAX_COLUMNS)


@pytest.mark.parametrize("text", ["x" * 5000, '"' + "x" * 5000, "a,b\n" + '1,"' + "y" * 5000])
def test_overlong_line_is_rejected(save, monkeypatch, text) -> None:
    monkeypatch.setattr(dialect, "MAX_LINE", 1000)
    monkeypatch.setattr(dialect, "_PIECE", 100)
    with pytest.raises(DataError, match=r"characters", check=about(name="'t.csv'", max_line=1000)):
        read(save(text, "t.csv"))


@pytest.mark.parametrize("cell", ["x" * 5000, "x\n" * 4000], ids=["one line", "many lines"])
@pytest.mark.parametrize("closed", ["", '"'])
def test_long_cell_is_parsed_up_to_limit(save, monkeypatch, cell, closed):
    monkeypatch.setattr(dialect, "_FIELD_LIMIT", 6000)
    try:
        read(save(f'a,b\n1,"{cell}{closed}', "t.csv"))
    except DataError as error:
        assert str(error).endswith(".")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
def test_lines_are_independent_of_chunk_size(monkeypatch, end, piece) -> None:
    monkeypatch.setattr(dialect, "_PIECE", piece)
    text = end.join(["a,b", "", "1,\u2028\x0b\x85", "x", ""])
    assert list(lines_of(text, 0, "t")) == text.replace(end, end + "\x00").split("\x00")[:-1]
    assert "".join(lines_of(text + "tail", 1, "t")) == text[1:] + "tail"
