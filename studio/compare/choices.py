"""The settings of a study, each declared once; nothing heavy is imported here."""

from collections.abc import Callable
from dataclasses import dataclass

from studio.phrases import clause
from studio.runs.choices import DEFAULT_BUDGET, TrialSettings
from studio.setting import setting


def _from_one(name: str) -> Callable[[str], str]:
    return lambda given: f"A study's {name} is a whole number from 1; {given} is given."


@dataclass(frozen=True, kw_only=True)
class StudySettings(TrialSettings):
    """What a study is asked for beside its data sets, methods, spaces and split.

    With ``refit`` test errors are those of models fitted again on all rows but the test rows; if
    not, of the models that the trials fitted (SMBEO and DivBO report those). ``title``,
    ``summary`` and ``reference`` are for people.
    """

    budget: int = setting(
        DEFAULT_BUDGET, low=1, high=1_000_000,
        wrong=_from_one("budget"),
        title="Models tried in each run (budget)", unit=clause("trials"), group="runs",
        help="The same for every method", flag="trials of a run", metavar="N",
    )  # fmt: skip
    repetitions: int = setting(
        5, low=1, high=1000, wrong=_from_one("repetitions"),
        title="Repetitions", group="runs",
        help="How often each is repeated, each time with rows divided anew; fewer than {fewest} "
             "decide nothing on a single data set",
        flag="splits of each data set", metavar="R",
    )  # fmt: skip
    seed: int = setting(
        0, low=0, high=2**31 - 1,
        wrong=lambda given: f"A study's seed is a whole number from 0; {given} is given.",
        title="Seed", help="The same seed gives the same comparison", group="limits",
        flag="of all that is drawn", otherwise="the study's",
    )  # fmt: skip
    refit: bool = True
    title: str = ""
    summary: str = ""
    reference: str = ""
