"""FLAML's cost-frugal search (MIT licence)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from studio.proposers.base import Search, Suggestion, random_suggestion
from studio.proposers.peers.base import TRIES, Peer, quiet, suggestion
from studio.seeds import derive
from studio.space.encoding import decode, encode, keys
from studio.space.parameters import Float, Integer
from studio.space.space import Space
from studio.trial import Configuration, Trial, Value


@dataclass(frozen=True)
class FlamlCfo(Peer):
    """CFO: FLOW² from a random place, with restarts (FLAML's suggest and complete).

    Its state is its past, so all asks and tells are repeated for each suggestion: with w workers it
    has w open questions at first, and asks one more whenever a trial finishes. What it has not
    asked for itself (random draws, trials of a run that was forked) it does not learn of. Costs are
    those of trials, all alike: by the seconds that it is made for, no run could be repeated.
    """

    key: ClassVar[str] = "flaml-cfo"
    title: ClassVar[str] = "FLAML CFO"
    summary: ClassVar[str] = (
        "FLAML's own local search: tries a random direction, or its opposite, and grows or "
        "shrinks its steps. It takes ranges, log scales and choices; it cannot take "
        "conditions, so all settings move and those without effect are dropped."
    )
    reference: ClassVar[str] = "Wu, Wang & Huang 2021; Wang et al. 2021 (FLAML)"
    extra: ClassVar[str] = "flaml"
    module: ClassVar[str] = "flaml"

    def suggest(self, search: Search) -> Suggestion:
        """Return what CFO asks for after its own past, and was not tried."""
        if not search.space.dimensions:
            return random_suggestion(search, "random draw")
        with quiet("flaml"):
            replay = _Replay(search.space, derive(search.ensemble_seed, "flaml"))
            for _ in search.pending:
                replay.ask()
            last = replay.ask()
            for trial in search.history.trials:
                if replay.take(trial):
                    last = replay.ask()
        if last is None or last in search.tried():
            return random_suggestion(search, "random draw in the place of a repetition")
        return suggestion(replay.configuration(last), self.title)


class _Replay:
    """CFO's questions and our answers, from the beginning of the run.

    Parameters
    ----------
    space : Space
        Where it searches.
    seed : int
        The same throughout the run.
    """

    def __init__(self, space: Space, seed: int) -> None:
        from flaml.tune.searcher.blendsearch import CFO

        self._space = space
        self._search = CFO(
            metric="loss", mode="min", space=_domains(space), seed=seed, cost_attr=None
        )
        self._asked = 0
        self._open: dict[bytes, tuple[str, dict[str, Any]]] = {}
        self._free = 0
        self._rows: dict[bytes, Configuration] = {}
        self._losses: dict[bytes, float | None] = {}

    def ask(self) -> bytes | None:
        """Ask until something new comes; return its row key, ``None`` where nothing does."""
        for _ in range(TRIES):
            self._asked += 1
            name = f"{self._asked}"
            theirs = self._search.suggest(name)
            if theirs is None:
                continue
            configuration = _ours(self._space, theirs)
            (key,) = keys(self._space, encode(self._space, [configuration]))
            if key in self._losses:
                self._answer(name, theirs, self._losses[key])
            elif key not in self._open:
                self._open[key] = name, theirs
                self._rows[key] = configuration
                return key
        self._free += 1
        return None

    def take(self, trial: Trial) -> bool:
        """Take in a finished trial; return whether a worker is free for another question."""
        (key,) = keys(self._space, encode(self._space, [trial.configuration]))
        self._losses[key] = trial.loss
        if key in self._open:
            self._answer(*self._open.pop(key), trial.loss)
            return True
        if self._free:
            self._free -= 1
            return True
        return False

    def configuration(self, key: bytes) -> Configuration:
        """Return the configuration of a row key."""
        return self._rows[key]

    def _answer(self, name: str, theirs: dict[str, Any], loss: float | None) -> None:
        if loss is None:
            self._search.on_trial_complete(name, error=True)
            return
        # As FLAML's own loop reports it.
        result = {"loss": loss, "config": theirs}
        result |= {f"config/{each}": value for each, value in theirs.items()}
        self._search.on_trial_complete(name, result)


def _domains(space: Space) -> dict[str, Any]:
    """Return how FLAML sees the hyperparameters: choices by their index."""
    from flaml import tune

    found: dict[str, Any] = {}
    for parameter in space.columns:
        if isinstance(parameter, Float):
            made = tune.loguniform if parameter.log else tune.uniform
            found[parameter.name] = made(parameter.low, parameter.high)
        elif isinstance(parameter, Integer):
            made = tune.lograndint if parameter.log else tune.randint
            found[parameter.name] = made(parameter.low, parameter.high + 1)
        elif parameter.ordered:
            found[parameter.name] = tune.randint(0, int(parameter.count()))
        else:
            found[parameter.name] = tune.choice(list(range(int(parameter.count()))))
    return found


def _ours(space: Space, theirs: dict[str, Any]) -> Configuration:
    """Return FLAML's values without those that have no effect."""
    values: dict[str, Value] = {}
    for parameter in space.columns:
        number = float(theirs[parameter.name])
        if isinstance(parameter, Float):
            number = min(max(number, parameter.low), parameter.high)
        values[parameter.name] = parameter.from_number(number)
    active = {
        name: values.get(name, space.parameter(name).first()) for name in space.active(values)
    }
    return decode(space, encode(space, [active]))[0]
