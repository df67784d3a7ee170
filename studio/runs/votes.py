"""Whether what is shown as the probability of a class is only the share of votes for it."""

from studio.ensembles.base import Ensemble
from studio.runs.jobs import trained_by
from studio.runs.prepare import Prepared
from studio.trial import History


def are_votes(prepared: Prepared, history: History, ensemble: Ensemble) -> bool:
    """Return whether an ensemble's probabilities are the shares of its members' votes.

    So they are where all members give labels only, and nothing has learned how sure these are: the
    mean of their probabilities (docs/decisions/0037) says how many members expect a class, not how
    often it comes.
    """
    if not prepared.problem.classes or not ensemble.is_plain:
        return False
    trials = [history.trials[number - 1] for number in ensemble.members]
    learners = (trained_by(prepared.space, each.configuration)[0] for each in trials)
    return all(each.predicts == "labels" for each in learners)
