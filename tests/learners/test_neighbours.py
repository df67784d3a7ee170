import numpy as np

from studio.learners.neighbours import Neighbours, NeighboursRegressor


def test_more_neighbours_than_rows_are_clipped_and_recorded(table_of, trained):
    X, y, categorical = table_of("binary", "tiny")
    built = trained(Neighbours(), "binary", X, y, categorical, n_neighbors=30)
    assert built.clipped_values == {"n_neighbors": 8}
    assert np.allclose(built.estimator.predict_proba(X), 0.5)


def test_all_neighbours_together_give_mean(table_of, trained):
    X, y, categorical = table_of("regression", "tiny")
    built = trained(NeighboursRegressor(), "regression", X, y, categorical, n_neighbors=30)
    assert np.allclose(built.estimator.predict(X), y.mean())
