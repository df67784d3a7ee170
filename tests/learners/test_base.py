import pytest

from studio.errors import LearnerError
from studio.learners.linear import Ridge
from studio.learners.trees import Tree


def test_a_learner_for_another_task_is_refused(table_of, trained):
    X, y, categorical = table_of("binary", "plain")
    with pytest.raises(LearnerError, match="Ridge regression cannot be used for binary"):
        trained(Ridge(), "binary", X, y, categorical)


def test_a_declaration_is_plain_json_with_hyperparameters():
    declared = Tree.declaration()
    assert declared["hyperparameters"] == ["max_depth", "min_samples_split", "min_samples_leaf"]
    assert declared["tasks"] == ["binary", "multiclass"]
    assert declared["predicts"] == "probabilities"
