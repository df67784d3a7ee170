"""The rows of a trial whose evaluation redraws them (thesis 3.2.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.evaluation.base import Evaluation
from studio.data.evaluation.registry import REGISTRY
from studio.data.splits import Folds, Split, SplitPlan
from studio.parts import find
from studio.seeds import derive

_SPLIT = "split-"
_GROUPS = "groups"


@dataclass(frozen=True)
class Redraw:
    """Everything that a trial's folds follow from, but its seed.

    A trial's seed comes from the run's seed and the trial's place among those started, and it is
    stored with the trial. So its folds can be found again from the document alone, and a run that
    was stopped continues with the same ones.

    Attributes:
        evaluation: Divides the rows.
        split: The run's own.
        plan: How the run divides rows.
        strata: Shape (n,). Class codes of all rows; zeros for regression.
        groups: Shape (n,), or None. Group codes of all rows.
    """

    evaluation: Evaluation
    split: Split
    plan: SplitPlan
    strata: Integers
    groups: Integers | None

    def folds(self, trial_seed: int) -> Folds:
        """Return what the trial with this seed is fitted on and predicts.

        Raises:
            DataError, UsageError: If the rows cannot be divided again.
        """
        seed = derive(trial_seed, "split")
        return self.evaluation.folds(self.split, self.plan, self.strata, self.groups, seed)

    def header(self) -> dict[str, Any]:
        """Return what is not an array, as plain JSON."""
        return {
            "evaluation": self.evaluation.key,
            "options": self.evaluation.to_json(),
            "plan": self.plan.to_json(),
        }

    def arrays(self) -> dict[str, AnyArray]:
        """Return the arrays by name, shape (k,) each; strata are left out: targets give them."""
        arrays = {f"{_SPLIT}{name}": array for name, array in self.split.arrays().items()}
        return arrays if self.groups is None else arrays | {_GROUPS: self.groups}

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Mapping[str, AnyArray], strata: Integers
    ) -> Self:
        """Put together what :meth:`header` and :meth:`arrays` took apart; strata (n,)."""
        split = {
            name.removeprefix(_SPLIT): array
            for name, array in arrays.items()
            if name.startswith(_SPLIT)
        }
        return cls(
            evaluation=find(REGISTRY, header["evaluation"], "evaluation").with_options(
                header["options"]
            ),
            split=Split.from_arrays(split),
            plan=SplitPlan.from_json(header["plan"]),
            strata=strata,
            groups=arrays.get(_GROUPS),
        )


def predicted_rows(folds: Folds) -> Integers:
    """Return the rows, (n,), that a trial predicts, ascending: its predictions' order."""
    rows: Integers = np.sort(np.concatenate([held_out for _, held_out in folds]))
    return rows
