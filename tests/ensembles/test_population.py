"""Population strategies on small histories (thesis 3.5-3.8)."""

from typing import Any

import numpy as np
import pytest

from studio.ensembles.single_model import Population
from studio.errors import EnsembleError, UsageError
from studio.proposers.method import compose
from studio.trial import History, Trial

STORED = np.zeros(1, dtype=np.float32)


def history(losses, selections) -> History:
    """Make a history; a loss of None is a failed trial."""
    new_history = History(np.zeros(1), 0)
    for number, (loss, selection) in enumerate(zip(losses, selections, strict=True), start=1):
        trial = Trial(number, {}, 0, loss, selection=selection if loss is not None else None)
        new_history.append(trial, None if loss is None else STORED)
    return new_history


def chosen(strategy: str, losses, selections, parents: int = 2, offspring: int = 3) -> int:
    builder = Population(strategy, parents, offspring)
    ensemble = builder.build(history(losses, selections), lambda truth, given: 0.0, seed=0)
    assert ensemble.weights == (1.0,)
    return ensemble.members[0]


def test_partial_validation_drops_replaced_individuals() -> None:
    # Generation 1 leaves 1 and 2, of which 2 is the better on D_S; generation 2 leaves 4 and 5.
    losses = [0.3, 0.4, 0.5, 0.1, 0.2, 0.9]
    selections = [0.5, 0.2, 0.1, 0.7, 0.6, 0.0]
    assert chosen("pv", losses[:3], selections[:3]) == 2
    assert chosen("pv", losses, selections) == 5


def test_backwarding_archives_best_by_validation() -> None:
    losses = [0.3, 0.4, 0.5, 0.1, 0.2, 0.9]
    assert chosen("bw", losses[:3], [0.5, 0.2, 0.1]) == 1
    # b_V of generation 2 is 4: it replaces 1 exactly where it is better on D_S.
    assert chosen("bw", losses, [0.5, 0.2, 0.1, 0.4, 0.1, 0.0]) == 4
    assert chosen("bw", losses, [0.5, 0.2, 0.1, 0.5, 0.1, 0.0]) == 1
    assert chosen("bw", losses, [0.5, 0.2, 0.1, 0.7, 0.1, 0.0]) == 1


def test_global_validation_archives_best_by_selection() -> None:
    losses = [0.3, 0.4, 0.5, 0.1, 0.2, 0.9]
    assert chosen("gv", losses, [0.5, 0.2, 0.1, 0.7, 0.6, 0.0]) == 2
    assert chosen("gv", losses, [0.5, 0.2, 0.1, 0.7, 0.19, 0.0]) == 5
    assert chosen("gv", losses, [0.5, 0.2, 0.1, 0.7, 0.2, 0.0]) == 2


def test_population_defaults_are_three_parents_and_six_children() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        trial_history = history(rng.random(17), rng.random(17))
        for strategy in ("pv", "bw", "gv"):
            ensemble, expected = (
                builder.build(trial_history, lambda truth, given: 0.0, seed=0)
                for builder in (Population(strategy), Population(strategy, 3, 6))
            )
            assert ensemble == expected


def test_failed_trials_count_in_generation() -> None:
    # Without the failures, trials 1 to 4 would be one generation, and 4 would displace 1.
    losses = [0.2, None, None, 0.1]
    assert chosen("bw", losses, [0.5, 0.0, 0.0, 0.9], parents=1) == 1
    assert chosen("pv", losses, [0.5, 0.0, 0.0, 0.9], parents=1) == 4


def test_unfinished_generation_uses_finished_trials() -> None:
    losses, selections = [0.3, 0.4, 0.5, 0.1], [0.5, 0.2, 0.1, 0.3]
    assert chosen("pv", losses, selections) == 4


@pytest.mark.parametrize("strategy", ["pv", "bw", "gv"])
def test_population_strategies_agree_with_brute_force(strategy: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(40):
        count = int(rng.integers(1, 30))
        losses = [None if rng.random() < 0.2 else float(rng.integers(5)) for _ in range(count)]
        selections = [float(rng.integers(5)) for _ in range(count)]
        if all(loss is None for loss in losses):
            continue
        assert chosen(strategy, losses, selections, 3, 6) == brute(strategy, losses, selections)


def test_population_defaults_follow_search_generations() -> None:
    def parts(method: str, **overrides: Any) -> tuple[Any, Any]:
        builder: Any = compose(method, overrides, "binary").ensemble
        return builder.offspring, builder.parents

    assert parts("cma-gv") == (6, 3)
    assert parts("cma-gv", **{"proposer.population": 10}) == (10, 5)
    assert parts("cma-gv", **{"proposer.population": 10, "ensemble.parents": 2}) == (10, 2)
    assert parts("RS", ensemble="population", **{"evaluation.selection": 0.2}) == (6, 3)
    # Explicit values are kept, and the others derived from them.
    assert Population(offspring=10).with_generation(lambda: 4) == Population("gv", 5, 10)
    assert Population(parents=2, offspring=10).with_generation(lambda: 4) == Population("gv", 2, 10)
    assert Population().with_generation(lambda: 1) == Population("gv", 1, 1)
    with pytest.raises(UsageError, match=r"Set proposer\.population"):
        parts("cma-gv", **{"proposer.population": None})


def brute(strategy: str, losses, selections, parents: int = 3, offspring: int = 6) -> int:
    """Apply the thesis' equations to the full history at every generation."""
    archive = -1
    for end in range(offspring, len(losses) + offspring, offspring):
        past = [i for i in range(min(end, len(losses))) if losses[i] is not None]
        population = sorted(past, key=lambda i: (losses[i], i))[:parents]
        if not population:
            continue
        by_validation = population[0]
        by_selection = min(population, key=lambda i: (selections[i], i))
        if strategy == "pv":
            archive = by_selection
        else:
            challenger = by_validation if strategy == "bw" else by_selection
            if archive < 0 or selections[challenger] < selections[archive]:
                archive = challenger
    return archive + 1


def test_population_needs_selection_losses() -> None:
    with pytest.raises(EnsembleError, match=r"evaluation\.selection"):
        chosen("pv", [0.1], [None])
