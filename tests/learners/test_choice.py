import pytest

from studio.errors import LearnerError
from studio.learners.choice import learner_for

SETS = {
    "algorithm": "algorithm",
    "knn.n_neighbors": "knn.n_neighbors",
    "penalty": "rbf-svm.C",
    "width": "width",
}


def test_only_the_chosen_learner_gets_its_values():
    choice = learner_for({"algorithm": "knn", "knn.n_neighbors": 3, "penalty": 1.0}, SETS)
    assert choice.learner == "knn"
    assert choice.values == {"n_neighbors": 3}


def test_parameters_may_be_called_otherwise_than_what_they_set():
    choice = learner_for({"algorithm": "rbf-svm", "penalty": 2.0, "width": 3.0}, SETS)
    assert choice.values == {"C": 2.0, "width": 3.0}
    assert choice.names == {"C": "penalty", "width": "width"}


def test_a_space_that_names_no_learner_is_refused():
    with pytest.raises(LearnerError, match=r"must set 'algorithm'.*here 0 do"):
        learner_for({"x": 1.0}, {"x": "x"})


def test_a_space_that_names_two_learners_is_refused():
    with pytest.raises(LearnerError, match="here 2 do"):
        learner_for({"a": "knn", "b": "tree"}, {"a": "algorithm", "b": "algorithm"})


def test_an_unknown_learner_is_refused_with_those_there_are():
    with pytest.raises(LearnerError, match="no learner called 'oracle'; there are: knn"):
        learner_for({"algorithm": "oracle"}, SETS)


def test_two_parameters_that_set_the_same_are_refused():
    sets = {"algorithm": "algorithm", "a": "knn.n_neighbors", "b": "knn.n_neighbors"}
    with pytest.raises(LearnerError, match=r"'a' and 'b' both set knn\.n_neighbors"):
        learner_for({"algorithm": "knn", "a": 1, "b": 2}, sets)
