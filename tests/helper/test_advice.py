"""The advice task."""

from pathlib import Path

import pytest

from studio.errors import DataError
from studio.helper.answers import decode, encode
from studio.helper.methods import compute_advice
from studio.helper.table_spec import TableSpec
from studio.runs.settings import Advice
from tests.facts import about


def table(folder: Path) -> Path:
    path = folder / "t.csv"
    rows = "".join(f"{i},{i % 7},{'ab'[i % 2]}\n" for i in range(300))
    path.write_text("t,x,y\n" + rows, "utf-8")
    return path


@pytest.mark.slow
def test_advice_uses_described_table(tmp_path: Path) -> None:
    path = table(tmp_path)
    reply = compute_advice(TableSpec(path, target="y"), {})
    assert decode(Advice, *encode(reply)) == reply
    assert (reply.method, reply.space) == ("best", "best")
    assert reply.plan.folds == 8
    assert reply.division.startswith("8 folds: ")
    ordered = compute_advice(TableSpec(path, target="y", roles={"t": "time"}), {})
    assert ordered.plan.folds is None
    values = compute_advice(TableSpec(path, target="x", task="regression"), {})
    assert values.space == "best-regression"
    plan = {"train": 0.5, "validation": 0.2, "test": 0.3, "seed": 4}
    hurried = compute_advice(TableSpec(path, target="y"), plan, 0.01)
    assert hurried.plan.folds is None
    assert (hurried.plan.test, hurried.plan.seed) == (0.3, 4)


def test_unusable_target_is_reported(tmp_path: Path) -> None:
    roles = {"t": "ignore", "x": "ignore"}
    with pytest.raises(DataError, match="No column", check=about(target="'y'")):
        compute_advice(TableSpec(table(tmp_path), target="y", roles=roles), {})
