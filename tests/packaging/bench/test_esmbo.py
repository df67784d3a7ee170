from bench.esmbo import TRIALS, add_trial, keep_books, search_of_150
from studio.ensembles.agnostic_bayes import risks_of


def test_seventy_five_histories_are_kept_and_one_trial_is_added_to_each() -> None:
    method, search = search_of_150()
    assert len(search.history) == TRIALS
    keep_books(method, search)
    add_trial(search)
    keep_books(method, search)
    assert search.metric is not None
    risks = risks_of(search.history, search.metric, 75, 1.0, search.ensemble_seed)
    assert risks.risks.shape == (75, TRIALS + 1)


def test_the_ensemble_of_the_measured_search_has_several_members() -> None:
    method, search = search_of_150()
    assert search.metric is not None
    ensemble = method.ensemble.build(search.history, search.metric, search.ensemble_seed)
    assert len(ensemble.members) > 3
