"""The list of ways of evaluation; a new one is one file and one line here."""

from studio.data.evaluation.base import Evaluation
from studio.data.evaluation.early_end import EarlyEnd
from studio.data.evaluation.fixed import Fixed
from studio.data.evaluation.reshuffled import Reshuffled

REGISTRY: tuple[type[Evaluation], ...] = (Fixed, EarlyEnd, Reshuffled)
