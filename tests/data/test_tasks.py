import pytest

from studio.data.columns import describe
from studio.data.reading import read
from studio.data.table import Table
from studio.data.tasks import guess_target, guess_task
from studio.errors import DataError


def test_the_target_is_the_column_of_that_name_else_the_last():
    assert guess_target(["a", "TARGET", "b"]).name == "TARGET"
    assert guess_target(["a", "b"]).name == "b"
    with pytest.raises(DataError, match="no columns"):
        guess_target([])


@pytest.mark.parametrize(
    ("cells", "task", "reason"),
    [
        (["yes", "no"], "binary", "category with 2 classes"),
        (["a", "b", "c"], "multiclass", "category with 3 classes"),
        ([str(i) for i in range(20)], "multiclass", "only 20 different values"),
        ([str(i) for i in range(21)], "regression", "21 different values, more than the 20"),
        (["0", "1.0"], "binary", "only 2 different values"),
        (["0.5", "1"], "regression", "not whole"),
    ],
)
def test_classes_are_told_from_numbers(table, cells, task, reason):
    made = table("x,y\n" + "".join(f"{i % 3},{cell}\n" for i, cell in enumerate(cells)))
    guess = guess_task(made.target)
    assert guess.task == task
    assert reason in guess.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "task", "n_categories"),
    [
        ("pima", "binary", 0),
        ("car", "multiclass", 6),
        ("german_credit", "binary", 13),
        ("wine_red", "multiclass", 0),
        ("segment", "multiclass", 0),
        ("spambase", "binary", 0),
        ("abalone", "regression", 1),
    ],
)
def test_real_data_sets_are_understood(shared_data, name, task, n_categories):
    raw = read(shared_data / f"{name}.csv.gz")
    described = describe(raw)
    assert described[-1].role == "target"
    assert sum(each.kind == "category" for each in described[:-1]) == n_categories
    target = Table.from_raw(raw).target
    assert target is not None
    assert guess_task(target).task == task
