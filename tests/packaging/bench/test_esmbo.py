import pytest

from bench.esmbo import TRIALS, add_trial, search_of_150, update_bootstraps
from studio.ensembles.agnostic_bayes import get_risks


@pytest.mark.slow
def test_new_trial_is_added_to_75_bootstraps() -> None:
    method, search = search_of_150()
    assert len(search.history) == TRIALS
    update_bootstraps(method, search)
    add_trial(search)
    update_bootstraps(method, search)
    assert search.metric is not None
    risks = get_risks(search.history, search.metric, 75, 1.0, search.ensemble_seed)
    assert risks.risks.shape == (75, TRIALS + 1)


@pytest.mark.slow
def test_ensemble_of_benchmark_search_has_several_members() -> None:
    method, search = search_of_150()
    assert search.metric is not None
    ensemble = method.ensemble.build(search.history, search.metric, search.ensemble_seed)
    assert len(ensemble.members) > 3
