import pytest

from studio.errors import LearnerError
from studio.learners.linear import Ridge
from tests.facts import about


def test_learner_of_another_task_is_rejected(table_of, trained):
    X, y, categorical = table_of("binary", "plain")
    with pytest.raises(LearnerError, match="Ridge regression", check=about(task="binary")):
        trained(Ridge(), "binary", X, y, categorical)
