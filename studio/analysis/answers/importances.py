"""How much each hyperparameter matters."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Importances:
    """Main effects of hyperparameters on the validation loss.

    Attributes:
        names: The hyperparameters: those that are always active, then those of the branch.
        scopes: Where each is measured: "" for the whole space, else the branch.
        share, spread: Shape (p,). Mean and standard deviation over the surrogate's models of V_j /
            V, in [0, 1]; NaN where too few trials have it.
        tried: Shape (p,). How many trials have it.
        model: What was averaged, in a sentence.
        models: How many.
    """

    names: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    share: Floats = floats()
    spread: Floats = floats()
    tried: Integers = integers()
    model: str = ""
    models_are: str = "draws"
    models: int = 0
    reason: str = ""
