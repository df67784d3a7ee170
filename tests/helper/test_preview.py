"""The preview task."""

from pathlib import Path
from typing import Any

import pytest

from studio.data.dates import DateFormat
from studio.data.numbers import NumberFormat
from studio.errors import DataError
from studio.helper.answers import decode, encode
from studio.helper.preview import MAX_PREVIEW_ROWS, Preview
from studio.helper.preview import preview as preview_task
from studio.helper.table_spec import TableSpec
from tests.facts import facts


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def preview(path: Path, **more: Any) -> Preview:
    quick = more.pop("quick", False)
    reply = preview_task(TableSpec(path, **more), quick=quick)
    assert decode(Preview, *encode(reply)) == reply
    return reply


def test_preview_describes_table_with_guesses(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "size;kind;price\n1,5;a;10\n2,5;b;12\n;a;14\n")
    reply = preview(path)
    assert reply.names == ("size", "kind", "price")
    assert reply.options.separator == ";"
    assert reply.options.decimal == ","
    assert reply.evidence["separator"]
    assert reply.rows[2] == ("", "a", "14")
    assert [column.kind for column in reply.columns] == ["number", "category", "number"]
    assert reply.columns[0].missing == 1
    assert reply.target.name == "price"
    assert reply.task.reason
    assert reply.complete


@pytest.mark.slow
def test_decimal_marks_are_counted_by_column(tmp_path: Path) -> None:
    lines = (f"{20 + i};{i},5;1.{i}0;kl. {i}\n" for i in range(10, 40))
    path = write(tmp_path / "t.csv", "age;size;pay;note\n" + "".join(lines))
    seen = {each.name: each.has_decimal_marks for each in preview(path).columns}
    assert (seen["age"], seen["size"], seen["pay"]) == (False, True, False)


def test_preview_respects_user_choices(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b,c\n1,x,2\n2,y,3\n3,x,4\n")
    reply = preview(path, target="b", kinds={"a": "category"}, roles={"c": "ignore"})
    assert reply.target.name == "b"
    assert "chose" in reply.target.reason
    assert reply.task.task == "binary"
    assert [column.role for column in reply.columns] == ["feature", "target", "ignore"]
    assert reply.columns[0].kind == "category"
    assert preview(path, target="c", task="regression").task.task == "regression"
    assert "chose" in preview(path, target="c", task="multiclass").task.reason


def test_choices_equal_to_guesses_keep_their_reasons(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b,c\n1,x,no\n2,y,yes\n3,x,no\n")
    reply, guessed = preview(path, target="c", task="binary"), preview(path)
    assert (reply.target, reply.task) == (guessed.target, guessed.task)
    assert "chose" not in reply.target.reason and "chose" not in reply.task.reason


def test_row_roles_are_explained_or_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "g,t,w,y\na,1,1,x\na,2,-1,y\nb,3,1,x\n")
    reply = preview(path, target="y", roles={"g": "group", "t": "time", "w": "weight"})
    group, time, weight, _ = reply.columns
    assert facts(group.reason) == {"number": 2}
    assert "groups" in group.reason and "in order of" in time.reason
    assert group.warnings == time.warnings == ()
    assert facts(weight.warnings[0]) == {"column": "'w'", "least": -1.0}


def test_preview_sends_first_rows_only(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b\n" + "1,2\n" * 3000)
    assert len(preview(path).rows) == MAX_PREVIEW_ROWS
    assert preview(path).n_rows == 3000
    quick = preview(path, quick=True)
    assert not quick.complete
    assert quick.n_rows < 3000


def test_rewritten_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b\n1,2\n")
    assert preview(path).n_rows == 1
    write(path, "a,b\n1,2\n3,4\n")
    assert preview(path).n_rows == 2


def test_missing_file_gives_message(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        preview(tmp_path / "none.csv")


def test_imbalanced_classes_suggest_metric(tmp_path: Path) -> None:
    lines = "".join(
        f"{i % 7},{'yes' if i % 10 == 0 else 'no'},{int(i % 10 == 0)}\n" for i in range(60)
    )
    path = write(tmp_path / "t.csv", f"a,b,c\n{lines}")
    for target in ("b", "c"):  # words, and numbers that are classes
        reply = preview(path, target=target)
        goal = next(each for each in reply.columns if each.name == target)
        assert reply.metric == "log-loss"
        assert [each.kind for each in goal.findings].count("imbalance") == 1
    assert preview(path, target="a").metric is None
    assert preview(path, target="c", task="regression").metric is None


def test_column_read_options_are_applied(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a;when;c\n" + "1.234;01/02/2024;NA\n5.678;03/04/2024;x\n" * 4)
    readings = {"a": "thousands:point", "when": "dates:month-first", "c": "missing:NA|x"}
    reply = preview(path, options={"missing": ["none"], "columns": readings}, target="a")
    assert reply.options.columns == tuple(readings.items())
    amount, when, region = reply.columns
    assert (amount.maximum, amount.number_format) == (5678.0, NumberFormat(",", "."))
    assert (when.kind, when.date_format) == ("date", DateFormat("month-first"))
    assert (region.missing, region.missing_words) == (8, ("NA", "x"))


@pytest.mark.parametrize(
    ("values", "unfit"),
    [
        ("3 5 9.5", set()),
        ("3 0 9.5", {"mape"}),
        ("3 -5 9.5", {"rmsle"}),
        ("0 -5 9.5", {"mape", "rmsle"}),
    ],
)
def test_unsuitable_metrics_give_reason(tmp_path: Path, values: str, unfit: set[str]) -> None:
    rows = "".join(f"{index},{value}\n" for index, value in enumerate(4 * values.split()))
    table_preview = preview(
        write(tmp_path / "t.csv", "a,price\n" + rows), target="price", task="regression"
    )
    assert set(table_preview.unfit) == unfit
    assert all(table_preview.unfit.values())
