"""The experimental protocols of the papers (METHODS 13): how they divided rows, and how long."""

import dataclasses
from dataclasses import dataclass

from studio.data.splits import SplitPlan
from studio.errors import UsageError


@dataclass(frozen=True)
class Protocol:
    """How a paper's experiments were made.

    Attributes
    ----------
    name : str
        The exact key.
    title : str
        Which experiments, for people.
    reference : str
        Where it stands.
    plan : SplitPlan
        How rows are divided in the first repetition (:meth:`repetition` for the others).
    budget : int
        Evaluations of a run.
    repetitions : int or None
        How often everything is repeated with fresh splits; ``None`` where the paper does not say.
    members : int or None
        Size of the ensembles.
    selection : float
        Share of the rows outside the test that methods with a selection split keep for it; 0 where
        there are none.
    refit : bool
        Whether the reported models are trained again on all rows outside the test.
    """

    name: str
    title: str
    reference: str
    plan: SplitPlan
    budget: int
    repetitions: int | None
    members: int | None = None
    selection: float = 0.0
    refit: bool = True

    def repetition(self, number: int) -> SplitPlan:
        """Return the plan of a repetition (0, 1, …): the same for every method compared in it."""
        return dataclasses.replace(self.plan, seed=number)


def _tested(test: float, folds: int | None, cap: int | None = None) -> SplitPlan:
    """Return a plan with one fifth of the rows outside the test as D_V, or so many folds."""
    validation = (1 - test) / 5
    return SplitPlan(1 - test - validation, validation, test, folds, cap=cap)


# Figure 3.2 of the thesis shows its hold-out and selection parts without numbers; one fifth is the
# share of its five folds, and of the validation rows of its example (2.6.1).
PROTOCOLS: tuple[Protocol, ...] = (
    Protocol(
        name="smbeo",
        title="Sequential model-based ensemble optimization",
        reference="SMBEO section 6",
        plan=SplitPlan(0.4, 0.3, 0.3),
        budget=150,
        repetitions=None,
        members=75,
        refit=False,
    ),
    Protocol(
        name="eo-svm",
        title="Ensemble optimisation of support vector machines",
        reference="EO 4.1; thesis 4.3",
        plan=_tested(0.33, 5),
        budget=200,
        repetitions=10,
        members=12,
    ),
    Protocol(
        name="eo-sklearn",
        title="Ensemble optimisation of scikit-learn models",
        reference="EO 4.2 (100 evaluations; the thesis has 200)",
        plan=_tested(0.33, 5),
        budget=100,
        repetitions=10,
        members=12,
    ),
    Protocol(
        name="thesis-3",
        title="Overfitting by hyperparameter optimisation, hold-out",
        reference="thesis 3.3",
        plan=_tested(1 / 3, None, cap=5000),
        budget=100,
        repetitions=20,
        selection=0.2,
    ),
    Protocol(
        name="thesis-3-folds",
        title="Overfitting by hyperparameter optimisation, five folds",
        reference="thesis 3.3",
        plan=_tested(1 / 3, 5, cap=5000),
        budget=100,
        repetitions=20,
        selection=0.2,
    ),
    Protocol(
        name="thesis-5",
        title="Kernels for conditional hyperparameter spaces",
        reference="thesis 5.5",
        plan=_tested(0.2, 5),
        budget=200,
        repetitions=10,
    ),
    Protocol(
        name="divbo",
        title="Diversity-aware Bayesian optimisation",
        reference="DivBO section 4",
        plan=SplitPlan(0.6, 0.2, 0.2),
        budget=250,
        repetitions=10,
        members=25,
        refit=False,
    ),
)


def protocol_for(name: str) -> Protocol:
    """Return the protocol of this name.

    Raises
    ------
    UsageError
        If there is none; the message lists those there are.
    """
    for protocol in PROTOCOLS:
        if protocol.name == name:
            return protocol
    names = ", ".join(each.name for each in PROTOCOLS)
    raise UsageError(f"There is no protocol called {name!r}; there are: {names}.")
