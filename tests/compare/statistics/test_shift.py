"""The interval of a shift against its test, and both by simulation."""

import numpy as np
import pytest

from studio.compare.statistics.two_methods import (
    POWER,
    compute_detectable_shift,
    estimate_median_shift,
    run_wilcoxon_test,
)


@pytest.mark.parametrize("n", [6, 9, 20])
def test_shift_interval_inverts_wilcoxon_test(n: int) -> None:
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    interval = estimate_median_shift(differences)
    for end, inwards in ((interval.low, 1e-6), (interval.high, -1e-6)):
        assert run_wilcoxon_test(differences - end - inwards).p > 0.05
        assert run_wilcoxon_test(differences - end + inwards).p <= 0.05
    assert run_wilcoxon_test(differences - interval.mean).p > 0.9


def test_wilcoxon_interval_requires_six_pairs() -> None:
    assert not estimate_median_shift(np.arange(5.0)).has_known_spread
    assert estimate_median_shift(np.arange(6.0)).has_known_spread
    assert compute_detectable_shift(np.arange(5.0)) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["normal", "heavy tails", "with ties"])
def test_median_interval_has_nominal_coverage(shape: str) -> None:
    rng = np.random.default_rng(5)
    samples = {
        "normal": rng.normal(size=(1500, 12)),
        "heavy tails": rng.standard_t(2, size=(1500, 12)),
        "with ties": rng.normal(size=(1500, 12)).round(1),
    }[shape]
    intervals = [estimate_median_shift(sample) for sample in samples]
    covered = np.mean([each.low <= 0 <= each.high for each in intervals])
    # 95.1 % by the exact distribution; 1,500 samples have a standard error of 0.6 points.
    assert 0.935 <= covered <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 20])
def test_detectable_shift_has_nominal_power(n: int) -> None:
    rng = np.random.default_rng(n)
    shift = np.mean([compute_detectable_shift(rng.normal(0.7, 1, n)) for _ in range(20)])
    studies = rng.normal(shift, 1, (400, n))
    power = np.mean([run_wilcoxon_test(study).p <= 0.05 for study in studies])
    assert power == pytest.approx(POWER, abs=0.1)
    assert compute_detectable_shift(np.zeros(n)) == 0
