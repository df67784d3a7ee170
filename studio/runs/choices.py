"""Settings of runs, declared once each.

Imports are light, as the command line declares its options at every start.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from studio.errors import UsageError
from studio.phrases import join_phrases, phrase
from studio.setting import iter_settings, setting
from studio.system.available_resources import count_cores

DEFAULT_BUDGET = 100
"""Default budget in trials if neither trials nor time are limited."""

DEFAULT_TRIAL_SECONDS = 300.0

MIN_MEGABYTES = 400
"""Minimum memory limit; an idle worker with all learners takes about half of it."""

MAX_WORKERS = 256

ClassWeights = Literal["none", "balanced"]

ADDRESS_PATTERN = r"(?a:local:[1-9]\d*|(?!local:)([a-z]+://)?([\w.-]+|\[[\w.:%]+\]):\d{1,5})"
"""The address of a cluster: local:4, or host and port, optionally with a protocol.

Look-alike letters and characters that change the writing direction are rejected, since the user is
asked to trust the address."""

address_setting = partial(
    setting,
    "",
    pattern=rf"({ADDRESS_PATTERN})?",
    error_message="Expected the host and port of a Dask scheduler, such as tcp://192.168.0.7:8786; "
    "{given} was given.",
)  # fmt: skip
"""Declares the address of a cluster."""


@dataclass(frozen=True, kw_only=True)
class TrialSettings:
    """Evaluation settings and limits of trials, in a run or in all runs of a study.

    ``metric`` is the key of a metric, ``None`` for the task's default; without ``trial_memory`` (in
    MB) each trial gets a share of the machine's memory.
    """

    metric: str | None = setting(
        None, kind=str, title="Optimise for (metric)", label="metric",
        search_terms="accuracy error score loss auc f1 rmse mae r2 objective quality measure "
             "criterion mape rmsle quantile pinball average precision mcc matthews percent",
        flag="what is minimised, such as error, rmse or pinball-0.9, or a scorer of "
             "scikit-learn by its name",
        forkable=False,
    )  # fmt: skip
    trial_seconds: float = setting(
        DEFAULT_TRIAL_SECONDS, above=0,
        error_message="A trial needs a number of seconds above 0; {given} s was given.",
        title="Time per model", unit="s", group="limits",
        search_terms="timeout slow stuck longest trial seconds",
        help="A model that takes longer is stopped and counted as failed",
        label="time of a trial", flag="time limit per trial", metavar="S",
    )  # fmt: skip
    trial_memory: int | None = setting(
        None, kind=int, optional=True, low=MIN_MEGABYTES, high=10_000_000,
        error_message="A trial needs at least {low} MB of memory, about half of it for the program "
              "itself; {given} MB was given.",
        title="Memory per model", unit="MB", empty=phrase("automatic"), group="limits",
        search_terms="ram gigabytes megabytes out of memory",
        help="A model that needs more is stopped; empty: a share of the machine's memory",
        label="memory of a trial", flag="memory limit per trial", metavar="MB",
    )  # fmt: skip

    def list_problems(self) -> list[str]:
        """Return a sentence for each invalid setting; empty if all are valid."""
        messages = (
            each.find_problem(getattr(self, each.name)) for each in iter_settings(type(self))
        )
        return [sentence for sentence in messages if sentence]

    def check(self) -> None:
        """Raise UsageError with all problems, if any."""
        if problems := self.list_problems():
            raise UsageError(join_phrases(problems))


@dataclass(frozen=True, kw_only=True)
class SearchSettings(TrialSettings):
    """Settings of a run's search: budget, workers, cluster, and training of the models.

    ``budget`` counts trials; ``seconds`` are wall seconds from the start to the result, without
    pauses; ``cluster`` is the address of a Dask scheduler, empty for this machine; with "balanced"
    ``class_weights`` every class has the same total weight in each fit.
    """

    budget: int | None = setting(
        None, kind=int, optional=True, low=1, high=1_000_000,
        error_message="The budget must be at least one trial; {given} was given.",
        title="Models to try (trials)", empty=phrase("no limit"), group="budget",
        search_terms="budget iterations evaluations number of trials how many",
        help="Each trained model counts, including failed ones. Empty: no limit",
        label="number of trials", flag="number of trials", metavar="N",
    )  # fmt: skip
    seconds: float | None = setting(
        None, kind=float, optional=True, above=0,
        error_message="The time budget must be a number of seconds above 0; {given} s was given.",
        title="Time", unit=phrase("min"), form_unit_factor=60.0, empty=phrase("no limit"),
        group="time", search_terms="time limit minutes seconds hours duration how long budget",
        help="Working time: 2 (minutes), 40 s or 1:30; pauses do not count. Empty: no limit",
        label="time limit", flag="seconds from the start of the command to the result", metavar="S",
    )  # fmt: skip
    workers: int = setting(
        count_cores(), low=1, high=MAX_WORKERS,
        error_message="At least one worker is needed; {given} was given.",
        title="Parallel trials (workers)", group="limits",
        search_terms="cores cpu processors threads parallel jobs faster speed",
        help="Models trained in parallel; cores of this machine: {cores}",
        label="parallel trials",
        flag="parallel trials", default_text="all cores",
    )  # fmt: skip
    seed: int = setting(
        0, low=0, high=2**31 - 1,
        error_message="The seed must be 0 or more; {given} was given.",
        title="Seed", search_terms="random state reproducible repeatable",
        help="One worker and the same seed give exactly the same run",
        group="limits", label="seed", flag="random seed", default_text="0",
    )  # fmt: skip
    cluster: str = address_setting(
        title="Dask cluster (address)", empty=phrase("this machine"), group="place",
        search_terms="remote server machines distributed",
        help="Address of a Dask scheduler, such as {example}",
        hint="Empty: worker processes here. A cluster needs the same program on all machines.",
        label="where it runs",
        flag="train on the workers of this Dask scheduler", metavar="ADDRESS", affects_result=False,
    )  # fmt: skip
    amounts: bool = setting(
        True,
        tasks=("regression",),
        idle="The setting for amounts applies only to regression: remove it.",
        title="Amounts stay at 0 or above", group="training",
        search_terms="negative predictions skewed log logarithm counts prices "
        "never below zero positive",
        help=(
            "If the target is never negative, predictions are not either, and “best” also trains "
            "on logarithms if a few values are very large"
        ),
        label="handling of amounts",
        flag="where no value to predict is below 0: predict none below 0, and let best try "
             "logarithms of skewed ones, or not",
        default_text="yes", forkable=False,
    )  # fmt: skip
    class_weights: ClassWeights = setting(  # noqa: RUF009 - this makes a field
        "none", choices=get_args(ClassWeights),
        error_message="Class weights are {allowed}; {given} was given.",
        tasks=("binary", "multiclass"),
        idle="There are no classes to weight in regression: leave class weights at none.",
        title="Balance the classes", group="training",
        search_terms="imbalance imbalanced class weights rare minority unbalanced oversampling",
        help="Weights rows while training so that every class has the same weight (balanced "
            "class weights); for tables in which one class is rare",
        label="balancing of classes",
        flag="give every class the same weight, however few rows it has", forkable=False,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class DeclaredSettings(SearchSettings):
    """All declared settings of a run, including those of the final models.

    Without ``refit`` the final models are those of the search: trained on D_T only, or with folds
    the average of the fold models.
    """

    refit: bool = setting(
        True, title="Refit the members at the end",
        search_terms="retrain train again final",
        help=(
            "Refit the final models on training and validation rows together before they are "
            "tested and exported. No: they stay as they were trained, as SMBEO and DivBO report "
            "it; with folds, each is the average of its fold models"
        ),
        label="refitting",
        flag="refit the final models on all rows, or keep the search's models",
        default_text="by the method",
    )  # fmt: skip
    keep: bool = setting(
        True, affects_result=False,
        flag="leave the trained ensemble out of the document: each prediction and export then "
                  "retrains it", is_off_switch=True,
    )  # fmt: skip
