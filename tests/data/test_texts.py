"""Texts stored as bytes equal their lists of strings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.data import texts
from studio.data.texts import Texts

NUMBERS = st.one_of(
    st.floats().map(repr),
    st.integers(-(2**70), 2**70).map(str),
    st.integers(-999, 999).map(str),
    st.text("0123456789+-.eE", max_size=12),
    st.sampled_from(["inf", "-Infinity", "nan", "NA", "", "-0", "1e400", " 1", "1 2", "$3", "５"]),
)
WORDS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12)


def make_both_forms(cells: list[str]) -> list[Texts]:
    """Return texts as bytes and as str objects."""
    different = list(dict.fromkeys(cells))
    return [
        Texts(np.array([cell.encode() for cell in different] or [b""])),
        Texts.from_distinct(different),
    ]


@pytest.fixture(autouse=True)
def parse_in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_MIN_BATCH_TEXTS", 1)
    monkeypatch.setattr(texts, "_CHUNK_SIZE", 2)


@pytest.mark.slow
@given(st.lists(NUMBERS, min_size=1, max_size=12))
@example(["-0", "1"])
@example(["-0", "1.5"])
@example(["9007199254740993", "1"])
@example(["2024-01-31", "7"])
def test_text_numbers_agree_with_pandas_exactly(cells: list[str]) -> None:
    different = list(dict.fromkeys(cells))
    expected = pd.to_numeric(np.array(different, dtype=object), errors="coerce") + 0.0
    for each in make_both_forms(cells):
        numbers = each.parse_numbers()
        assert np.array_equal(np.isnan(numbers), np.isnan(expected))
        is_number = ~np.isnan(expected)
        assert numbers[is_number].tobytes() == expected[is_number].astype(np.float64).tobytes()


@pytest.mark.slow
@given(st.lists(WORDS, min_size=1, max_size=8), st.frozensets(WORDS, max_size=4))
def test_byte_and_object_texts_agree(cells: list[str], words: frozenset[str]) -> None:
    different = list(dict.fromkeys(cells))
    some = words | frozenset(different[:1])
    for each in make_both_forms(cells):
        assert list(each) == each.to_list() == different
        assert each.join_lines() == "\n".join(different)
        assert list(each.strip()) == [cell.strip() for cell in different]
        assert each.find_among(some).tolist() == [cell in some for cell in different]
        assert list(each.select(each.sort_indices())) == sorted(different)
        assert not each.are_ascii_words or all(cell.split() == [cell] for cell in different if cell)


@pytest.mark.slow
@given(st.lists(NUMBERS | WORDS, min_size=1, max_size=12))
@example(["12", "34", "5", "5\n6"])
def test_character_translation_merges_equal_texts(cells: list[str]) -> None:
    different = list(dict.fromkeys(cells))
    digits = bytes.maketrans(b"123456789", b"000000000")
    expected = [cell.translate(str.maketrans("123456789", "000000000")) for cell in different]
    for each in make_both_forms(cells):
        places, translated_texts = each.translate_characters(digits)
        assert list(translated_texts) == list(dict.fromkeys(expected))
        assert [translated_texts[index] for index in places.tolist()] == expected
