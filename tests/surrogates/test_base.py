import pytest

from studio.surrogates.base import Posterior, Surrogate


def test_a_surrogate_and_a_posterior_must_say_how_they_predict():
    with pytest.raises(TypeError, match="abstract"):
        Posterior()
    with pytest.raises(TypeError, match="abstract"):
        Surrogate()
