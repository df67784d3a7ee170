import numpy as np
import pytest

from studio.ensembles.losses.base import RESOLUTION, ValueLoss, VoteLoss, round_dyadic


def test_sums_of_dyadic_values_are_order_independent() -> None:
    rng = np.random.default_rng(0)
    values = round_dyadic(rng.random(100_000))
    assert np.all(values * RESOLUTION == np.rint(values * RESOLUTION))
    sums = {float(rng.permutation(values).sum()) for _ in range(20)}
    assert len(sums) == 1
    np.testing.assert_allclose(round_dyadic(np.array([1 / 3])), 1 / 3, atol=2.0**-33)


@pytest.mark.parametrize("base", [VoteLoss, ValueLoss])
def test_loss_bases_are_abstract(base: type) -> None:
    with pytest.raises(TypeError, match="abstract"):
        base()


def test_default_loss_is_mean_of_single_term() -> None:
    class Plain(VoteLoss):
        def compute_terms(self, true, rival, rivals, size):
            return (true.astype(float),)

    assert Plain().finish((np.array([3.0, 6.0]),), rows=6, size=9).tolist() == [0.5, 1.0]
