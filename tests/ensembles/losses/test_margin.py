import numpy as np

from studio.ensembles.losses.margins import LinearMargin
from studio.ensembles.running import make_running_ensemble


def test_margin_loss_equals_mean_member_error(make_history) -> None:
    history = make_history(6, 4)
    running = make_running_ensemble(history)
    for number in (1, 2, 3):
        running.add(number)
    losses = running.compute_candidate_losses([4, 5, 6], LinearMargin())
    own = {number: running.get_own_loss(number) for number in range(1, 7)}
    expected = [(own[1] + own[2] + own[3] + own[number]) / 4 for number in (4, 5, 6)]
    np.testing.assert_allclose(losses, expected, rtol=1e-14)
