"""Settings of a study, each declared once; without heavy imports."""

from dataclasses import dataclass

from studio.phrases import phrase
from studio.runs.choices import DEFAULT_BUDGET, TrialSettings, address_setting
from studio.setting import setting
from studio.system.available_resources import count_cores


@dataclass(frozen=True, kw_only=True)
class StudySettings(TrialSettings):
    """Settings of a study apart from data sets, methods, spaces and split.

    ``budget`` counts the trials of a run; ``seconds`` is its time from start to result. With
    ``refit``, test errors are those of models refitted on all rows except the test rows; otherwise
    those of the trials' models (as in SMBEO and DivBO). ``title``, ``summary`` and ``reference``
    are descriptions for users.
    """

    budget: int | None = setting(
        DEFAULT_BUDGET, kind=int, optional=True, low=1, high=1_000_000,
        error_message="A study's budget must be a whole number, at least 1; "
        "{given} was given.",
        title="Trials in each run (budget)", unit=phrase("trials"), empty=phrase("no limit"),
        group="runs", help="The same for every method. Empty: the time limit alone ends a run",
        flag="trials of a run", metavar="N",
    )  # fmt: skip
    seconds: float | None = setting(
        None, kind=float, optional=True, above=0,
        error_message="The time limit of a run must be a number of seconds above 0; "
        "{given} s was given.",
        title="Time limit of each run", unit=phrase("s"), empty=phrase("no limit"), group="runs",
        help=(
            "From its start to its result. A run ends at its time limit or its number of trials, "
            "whichever comes first; with a time limit, results depend on this computer's speed"
        ),
        flag="seconds of a run, from its start to its result", metavar="S",
    )  # fmt: skip
    repetitions: int = setting(
        5, low=1, high=1000,
        error_message="A study's repetitions must be a whole number, at least 1; "
        "{given} was given.",
        title="Repetitions", group="runs",
        help=(
            "Number of repetitions, each with new splits; with fewer than {fewest}, nothing is "
            "significant on a single data set"
        ),
        flag="splits of each data set", metavar="R",
    )  # fmt: skip
    seed: int = setting(
        0, low=0, high=2**31 - 1,
        error_message="A study's seed must be a whole number, at least 0; {given} was given.",
        title="Seed", help="The same seed gives the same comparison", group="limits",
        flag="random seed", default_text="the study's",
    )  # fmt: skip
    rows: int | None = setting(
        None, kind=int, optional=True, low=50, high=100_000_000,
        error_message="A comparison needs at least {low} rows per data set; {given} was given.",
        title="Rows of a data set", empty=phrase("all"), group="limits",
        help="Larger data sets are sampled once to this many rows, each class in proportion; "
             "empty: all rows",
        flag="use at most this many rows of each data set", metavar="N",
    )  # fmt: skip
    refit: bool = setting(
        True, title="Refit the members at the end", group="final",
        help=(
            "Refit on all rows except the test rows before testing, as for final use, within the "
            "time limit if there is one. Off: the models are tested as they were trained, also "
            "those of “best”. Papers differ here"
        ),
        label="refitting",
        flag="test models refitted on all rows but the test rows, or as the trials trained them",
        default_text="the study's",
    )  # fmt: skip
    title: str = ""
    summary: str = ""
    reference: str = ""


@dataclass(frozen=True)
class ComputeResources:
    """The machines that compute a study's cells.

    ``workers`` is the number of parallel cells on this machine; a cluster's number is its capacity.
    ``cluster`` is a scheduler's address or ``local:N``, empty for this machine.
    """

    workers: int = setting(
        count_cores(), low=1, high=1024,
        title="Parallel runs (workers)", group="runs",
        help="Number of parallel processes; results do not change",
        flag="runs at the same time", metavar="W",
        default_text="all cores, or all of the cluster's", affects_result=False,
    )  # fmt: skip
    cluster: str = address_setting(
        title="Dask cluster (address)", empty=phrase("this machine"), group="place",
        help="Address of a Dask scheduler, such as {example}; local:4 starts 4 workers here",
        hint=(
            "Empty: worker processes here. A cluster computes as many runs in parallel as its "
            "capacity allows, and needs the same program on all machines."
        ),
        flag="work on the workers of this Dask scheduler, or of N workers that are started here",
        metavar="ADDRESS|local:N", affects_result=False,
    )  # fmt: skip
