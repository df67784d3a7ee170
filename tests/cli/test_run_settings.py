import argparse

import pytest

from studio.cli.run import declare, settings_from
from studio.data.splits import SplitPlan
from studio.errors import UsageError


@pytest.fixture
def settings(tmp_path):
    """Return the settings of a command line."""
    table = tmp_path / "t.csv"
    table.write_text("a,y\n1,x\n")

    def read(*words):
        parser = argparse.ArgumentParser()
        declare(parser)
        return settings_from(parser.parse_args([str(table), "-o", "d.studio", *words]))

    return read


def test_roles_of_rows_are_taken(settings):
    roles = settings("--role", "a=group", "--role", "w=weight", "--role", "t=time").source.roles
    assert roles == {"a": "group", "w": "weight", "t": "time"}
    with pytest.raises(UsageError, match="one of feature, target, ignore, group, time, weight"):
        settings("--role", "a=cluster")


def test_rows_are_divided_as_asked(settings):
    assert settings().plan == SplitPlan()
    assert settings("--folds", "4", "--seed", "3").plan == SplitPlan(folds=4, seed=3)
    capped = settings("--split", "50/25/25", "--cap", "5000").plan
    assert capped == SplitPlan(0.5, 0.25, 0.25, cap=5000)
    with pytest.raises(UsageError, match="at least 2 rows"):
        settings("--cap", "1")
