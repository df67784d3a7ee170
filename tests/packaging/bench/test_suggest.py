from collections import Counter

import pytest

from bench.suggest import load_recorded_search
from studio.proposers.bayesian import BayesianOptimisation
from studio.space.encoding import encode, make_keys


def test_recorded_run_has_200_distinct_trials():
    search = load_recorded_search()
    configurations = [trial.configuration for trial in search.history.trials]
    assert len(configurations) == 200
    assert len(set(make_keys(search.space, encode(search.space, configurations)))) == 200
    assert Counter(c["algorithm"] for c in configurations)["forest"] == 100
    assert search.space.dimensions == 14


@pytest.mark.slow
def test_measured_suggestion_is_valid_and_new():
    search = load_recorded_search()
    suggestion = BayesianOptimisation().suggest(search)
    search.space.validate(suggestion.configuration)
    assert make_keys(search.space, encode(search.space, [suggestion.configuration]))[0] not in (
        search.get_tried_keys()
    )
