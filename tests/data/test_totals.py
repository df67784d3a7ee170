"""Totals at the end of a table, below its header and among its rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.data.coded import CodedColumn
from studio.data.comments import count_totals
from tests.facts import facts

N = 24


def totals(word: str) -> str:
    return f"{word},{sum(i / 7 for i in range(N)):.2f},,\n"


@pytest.mark.slow
def test_partial_totals_rows_are_skipped(raw):
    body = "".join(f"p{i % 4},{i},{i % 3},{'no' if i % 2 else 'yes'}\n" for i in range(20))
    for last in (
        "Average,9.5,,\nTotal,190,25.3,\n",
        "Mean,9.5,0.95,\n",
        "max,19,2,\nmean,9.5,1,\n",
        "Mean,9.5,0.95,\nSD,5.92,0.83,\n",
        "----,---,---,---\nTotal,190,25.3,\n",
    ):
        table = raw("name,a,b,y\n" + body + last)
        assert table.n_rows == 20
        assert "below the table" in "".join(table.notes)
    for last in ("Max,7,2,yes\n", "Max,,,\n", "mean,3,1,no\n", "SD,5.92,0.83,no\n", "SD,5.92,,\n"):
        assert raw("name,a,b,y\n" + body + last).n_rows == 21


@pytest.mark.parametrize(
    "word", ["Total", "TOTAL:", "Sum", "Gesamt", "Summe", "Итого", "Grand total", "Somme"]
)
@pytest.mark.parametrize("below", ["", "\nSource: x\n"])
def test_totals_row_is_skipped(raw, word, below):
    rows = "".join(
        f"n{i},{round(i / 7, 2)},{'ab'[i % 2]},{('no', 'yes')[i % 2]}\n" for i in range(N)
    )
    for last in (totals(word), f"{word},,,\n", f"{word}\n", f",{word},,\n"):
        table = raw("name,b,c,y\n" + rows + last + below)
        assert table.n_rows == N, last
        assert word in table.notes[0]
    assert raw("name,b,c,y\n" + rows + f"{word},7,,\n").n_rows == N + 1
    assert raw("name,b,c,y\n" + rows + f"{word},,a,no\n").n_rows == N + 1


@pytest.mark.parametrize(
    "last", ["Closing balance,,1234.50,", "Endsaldo;;7", "Bron: CBS", "Źródło: GUS, 2023"]
)
def test_balance_and_source_below_blank_line_are_not_rows(raw, last):
    separator = ";" if ";" in last else ","
    row = separator.join(("2024-03-{:02d}", "ab", "{}.50", "{}"))
    head = separator.join(("day", "kind", "amount", "y"))
    body = "".join(row.format(1 + i, i * 7 % 90, "ny"[i % 2]) + "\n" for i in range(N))
    assert raw(f"{head}\n{body}\n{last}\n").n_rows == N
    assert raw(f"{head}\n{body}{row.format(30, 5, 'n')}\n").n_rows == N + 1
    if "," in last and ":" not in last:  # in the middle of the table it may be a transaction
        assert raw(f"{head}\n{body}{last}\n").n_rows == N + 1


@pytest.mark.parametrize("word", ["Total", "Gesamtergebnis", "总和", "*", "**", "Σ"])
@pytest.mark.parametrize("form", ["{:,}", "${:,.2f}", "{} kg", "{:,}.00-"])
def test_total_is_detected_in_number_format(raw, word, form):
    amounts = [i * i * 97 % 8999 + 7 for i in range(N)]
    rows = "".join(f'n{i},"{form.format(each)}",ab\n' for i, each in enumerate(amounts))
    last = f'{word},"{form.format(sum(amounts))}",\n'
    assert raw("name,amount,y\n" + rows + last).n_rows == N
    off = f'{word},"{form.format(sum(amounts) + 9999)}",\n'
    assert raw("name,amount,y\n" + rows + off).n_rows == N + 1


@pytest.mark.parametrize("label", ["Yhteensä", "Genel Toplam", "総合計", "", "Total: Account"])
def test_last_row_of_sums_is_total_regardless_of_language(raw, label):
    amounts = [i * i * 97 % 89 + 7 for i in range(N)]
    rows = "".join(f"n{i},{each},{i % 3},ab\n" for i, each in enumerate(amounts))
    total = f"{label},{sum(amounts)},{sum(i % 3 for i in range(N))},\n"
    assert raw("name,amount,b,y\n" + rows + total).n_rows == N
    others = (f"{label},{sum(amounts) + 9},3,\n", f"{label},{max(amounts)},3,\n")
    assert [raw("name,amount,b,y\n" + rows + last).n_rows for last in others] == [N + 1] * 2


@pytest.mark.slow
@given(st.lists(st.integers(1, 999), min_size=12, max_size=40), st.integers(0, 999_999))
def test_last_row_is_total_only_if_sums_match(amounts, last):
    names = CodedColumn.from_cells([f"n{i}" for i in range(len(amounts))] + ["Ukupno"])
    for each in (last, sum(amounts)):
        column = CodedColumn.from_cells([*map(str, amounts), str(each)])
        expected = bool(np.isclose(sum(amounts), each, rtol=1e-4))
        assert count_totals([names, column]) == expected


@pytest.mark.parametrize("label", ["Summe {}", "Total", "{}: total"])
def test_totals_with_wrong_sums_raise_question(raw, label):
    rows = [(name, 7 + i * 97 % 89) for name in ("Nord", "West") for i in range(12)]
    rows[12:12] = [(label.format("Nord"), 12345)]
    lines = "".join(f"{name},{number},ab\n" for name, number in rows)
    for last, count in ((f"{label.format('West')},6789,\n", 2), ("", 1)):
        table = raw("name,amount,y\n" + lines + last)
        (note,) = table.undecided_notes
        assert table.n_rows == 24 + count
        assert facts(note).get("count", 1) == count
    assert raw("name,amount,y\n" + lines.replace("12345", "50")).undecided_notes == ()


def test_totals_with_averages_raise_question(raw):
    lines = ["region,amount,price,y"]
    for group in range(4):
        amounts = [10 + (7 * group + 3 * i) % 11 for i in range(6)]
        lines += [f"R{group},{each},{2 + i % 3}.5,{i % 2}" for i, each in enumerate(amounts)]
        lines.append(f"Total,{sum(amounts) + 7},2.75,")
    (note,) = raw("\n".join(lines) + "\n").undecided_notes
    assert facts(note)["count"] == 4


def test_total_damage_is_not_a_total(raw):
    rng = np.random.default_rng(8)
    lines = ["damage,age,km,cost,power,y"]
    for i in range(240):
        damage = "total front" if i % 13 == 5 else "scratch"
        lines.append(",".join([damage, *map(str, rng.integers(100, 999, 4)), str(i % 2)]))
    assert not raw("\n".join(lines) + "\n").undecided_notes


def test_sap_subtotals_are_skipped(raw):
    groups = [[7 + i * k % 89 for i in range(12)] for k in (97, 31)]
    lines = [
        "".join(f"{k},{number},ab\n" for number in group) + f"*{k},{sum(group)},\n"
        for k, group in enumerate(groups, 1000)
    ]
    table = raw("key,amount,y\n" + "".join(lines) + f"**,{sum(map(sum, groups))},\n")
    assert table.n_rows == 24


def test_sum_of_few_rows_is_not_total(raw):
    assert raw("name,b,y\n" + "a,1,x\nb,2,y\nc,3,x\n").n_rows == 3


def make_groups(label: str, *, above: bool = False) -> str:
    text, grand = "", 0
    for k, region in enumerate(("North", "South", "West")):
        amounts = [i * i * 97 % 89 + 7 for i in range(k, k + 9)]
        rows = "".join(f"{region},p{i},{each},{'ab'[i % 2]}\n" for i, each in enumerate(amounts))
        total = f"{label.format(region)},,{sum(amounts)},\n"
        text += total + rows if above else rows + total
        grand += sum(amounts)
    return text + f"Grand total,,{grand},\n"


@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize(
    "label", ["Total {}", "Subtotal", "{} total", "Zwischensumme", "Sous-total :"]
)
def test_group_totals_are_skipped_with_note(raw, label, above):
    table = raw("region,product,amount,y\n" + make_groups(label, above=above))
    assert table.n_rows == 27
    assert set(table.columns[0]) == {"North", "South", "West"}
    note_facts = facts(table.notes[0])
    assert (note_facts["count"], note_facts["first"]) == (4, 1 if above else 10)
    assert label.format("North") in note_facts["listed"]


def test_group_totals_may_differ_in_digit_grouping(raw):
    rows = "".join(
        f"{region};p{i};{300 + 7 * i}\n" if i < 5 else f"{region} (total);;1.570\n"
        for region in ("North", "South", "West")
        for i in range(6)
    )
    assert raw("region;product;amount\n" + rows).n_rows == 15


def test_labels_without_sums_are_not_group_totals(raw):
    rows = make_groups("Total {}").replace("Grand total", "Grand")
    assert raw("region,product,amount,y\n" + rows.replace("Total", "Part")).n_rows == 31
    damage = "".join(f"{('Total loss', 'Partial')[i % 2]},{i % 4},{i % 3},b\n" for i in range(60))
    assert raw("damage,cars,doors,y\n" + damage).n_rows == 60


def test_total_below_header_is_skipped(raw):
    amounts = [i * i * 97 % 89 + 7 for i in range(N)]
    rows = "".join(f"n{i},{each},{i % 3},ab\n" for i, each in enumerate(amounts))
    for label in ("Total", "All shops: total", "World", ""):
        total = f"{label},{sum(amounts)},{sum(i % 3 for i in range(N))},\n"
        assert raw("name,amount,b,y\n" + total + rows).n_rows == N
    assert raw("name,amount,b,y\n" + f"Total,{sum(amounts) + 9},3,\n" + rows).n_rows == N + 1
