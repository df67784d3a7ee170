import numpy as np

from studio.learners.neighbours import Neighbours, NeighboursRegressor


def test_number_of_neighbours_is_clipped_and_recorded(table_of, trained):
    X, y, categorical = table_of("binary", "tiny")
    pipeline = trained(Neighbours(), "binary", X, y, categorical, n_neighbors=30)
    assert pipeline.clipped_values == {"n_neighbors": 8}
    assert np.allclose(pipeline.estimator.predict_proba(X), 0.5)


def test_prediction_of_all_neighbours_is_mean(table_of, trained):
    X, y, categorical = table_of("regression", "tiny")
    pipeline = trained(NeighboursRegressor(), "regression", X, y, categorical, n_neighbors=30)
    assert np.allclose(pipeline.estimator.predict(X), y.mean())
