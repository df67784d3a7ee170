import numpy as np
import pytest

from studio.data.codec import Codec, Target
from studio.data.problem import Problem
from studio.data.protocols import PROTOCOLS, protocol_for
from studio.data.splits import make_split
from studio.errors import UsageError


def table_of(n_rows: int) -> Problem:
    y = np.arange(n_rows) % 2
    return Problem(
        X=np.zeros((n_rows, 1)),
        y=y,
        task="binary",
        classes=("a", "b"),
        target_name="y",
        feature_names=("x",),
        categorical=np.array([False]),
        categories=(None,),
        rows=np.arange(n_rows),
        notes=(),
        _codec=Codec((), Target("y", (), "binary", ("a", "b"))),
    )


@pytest.mark.parametrize(
    ("name", "rows", "parts", "folds"),
    [
        # METHODS 13: training, validation and test rows of a table.
        ("smbeo", 1000, (400, 300, 300), 1),
        ("divbo", 1000, (600, 200, 200), 1),
        ("eo-svm", 1000, (670, 670, 330), 5),
        ("eo-sklearn", 1000, (670, 670, 330), 5),
        ("thesis-5", 1000, (800, 800, 200), 5),
        ("thesis-3", 1500, (800, 200, 500), 1),
        ("thesis-3-folds", 1500, (1000, 1000, 500), 5),
        ("thesis-3", 30_000, (5000, 15_000, 10_000), 1),
    ],
)
def test_rows_are_divided_as_in_the_papers(name, rows, parts, folds):
    split = make_split(table_of(rows), protocol_for(name).plan)
    assert (len(split.train), len(split.validation), len(split.test)) == parts
    assert len(split.folds) == folds


def test_the_thesis_caps_every_fold():
    split = make_split(table_of(30_000), protocol_for("thesis-3-folds").plan, selection=0.2)
    assert [len(train) for train, _ in split.folds] == [5000] * 5
    assert len(split.selection) == 4000


def test_repetitions_differ_in_the_seed_only():
    protocol = protocol_for("divbo")
    assert protocol.repetition(0) == protocol.plan
    drawn = {tuple(make_split(table_of(50), protocol.repetition(i)).test) for i in range(3)}
    assert len(drawn) == 3


def test_names_are_unique_and_unknown_ones_are_refused():
    names = [each.name for each in PROTOCOLS]
    assert len(set(names)) == len(names)
    with pytest.raises(UsageError, match="there are: smbeo"):
        protocol_for("Smbeo")
