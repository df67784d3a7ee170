"""What the time slider marks: where a run found something better, and where a trial failed."""

from dataclasses import dataclass, field

from studio.gui.session.run_view import RunView


@dataclass
class Marks:
    """Iterations of one run; only what is new is looked at.

    Attributes
    ----------
    better : list of int
        Iterations after which another trial was the best single model.
    failed : list of int
        Iterations whose trial failed.
    """

    better: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    _seen: int = 0
    _judged: int = 0
    _best: int | None = None

    def take(self, view: RunView) -> bool:
        """Add what the run has new; say whether that changed a mark."""
        before = len(self.better) + len(self.failed)
        for iteration in view.iterations[self._seen :]:
            if iteration.best != self._best:
                self._best = iteration.best
                self.better.append(iteration.number)
        for trial in view.trials[self._judged :]:
            if trial.status == "failed":
                self.failed.append(trial.number)
        self._seen, self._judged = len(view.iterations), len(view.trials)
        return len(self.better) + len(self.failed) != before
