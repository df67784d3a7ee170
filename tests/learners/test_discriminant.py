import numpy as np
import pytest

from studio.errors import LearnerError
from studio.learners.discriminant import Qda


def test_regularisation_is_clipped_to_one_and_recorded(table_of, trained):
    X, y, categorical = table_of("binary", "plain")
    above = trained(Qda(), "binary", X, y, categorical, reg_param=1000.0)
    one = trained(Qda(), "binary", X, y, categorical, reg_param=1.0)
    assert above.clipped_values == {"reg_param": 1.0}
    assert one.clipped_values == {}
    assert np.array_equal(above.estimator.predict_proba(X), one.estimator.predict_proba(X))


def test_class_of_one_row_is_rejected_with_message(table_of, trained):
    X, y, categorical = table_of("binary", "plain")
    y = np.zeros_like(y)
    y[0] = 1
    with pytest.raises(LearnerError, match="every class"):
        trained(Qda(), "binary", X, y, categorical)
