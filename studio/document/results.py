"""The result of a run: the final models, their test errors, and stored data."""

from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, final

from studio.data.metrics.plain_score import HEADLINE_METRICS, PlainScore

LossInterval = tuple[float, float]
"""The limits of a 95 % interval, the lower first."""


@dataclass(frozen=True)
class Member:
    """A model of the final ensemble: a trial from 1, and its weight in (0, 1]."""

    trial: int
    weight: float


@dataclass(frozen=True)
class BestSingleModel:
    """The best single model by its trial's number, from 1."""

    trial: int


@final
@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of a run; fields without a default exist in all versions.

    Attributes:
        temperature: Of mean probabilities, above 0; 1 changes nothing.
        correction: Share of the second layer that corrects the mean probabilities, in [0, 1].
        corrected_validation: Validation loss with the correction; ``None`` without one: as in the
            last iteration.
        metric, unit: Key of the losses, and their unit: "%" (for shares), "target" or "".
        test_error_single, test_error_ensemble: Test losses; ``None`` without test rows, or without
            the single model.
        test_error_guess: Test loss of the metric's best constant for the other rows; also ``None``
            in older versions.
        test_interval, single_interval, difference_interval: 95 % intervals of the ensemble's loss,
            of the single model's, and of their difference (first minus second), if any.
        not_refitted: Members that a refit left unchanged; empty in older versions.
        averaged_refit: Whether each refitted member is averaged with its models from the search.
        headline: The ensemble's quality in plain words; ``None`` if every trial has its own
            validation rows, and in older versions.
        test_notes: Notes repeated beside the test result, such as reasons for a possible bias;
            empty in older versions.
        overruled: Findings, as sentences, about leaking columns that were used nevertheless.
        kept_bytes: Size of the trained ensemble in the document, 0 if it is not stored, possibly
            with the sentence ``kept_reason``; ``None`` in older versions.
        trials, concluding: Number of trials, and of trials for the final choice.
        failed: Number of failed trials; 0 in older versions.
        time_budget: In seconds; ``None`` if unlimited or unknown.
        utilisation: Shares of the workers' time by :data:`studio.runs.utilisation.ACTIVITIES`,
            summing to 1; ``None`` in older versions, and for refits of their runs.
        exhausted: The reason, as a sentence, if no configuration was left to try; otherwise empty.
    """

    members: tuple[Member, ...]
    combination: Literal["vote", "mean", "stack"]
    temperature: float = 1.0
    correction: float = 0.0
    corrected_validation: float | None = None
    single: BestSingleModel
    metric: str
    unit: str
    test_rows: int
    test_error_single: float | None
    test_error_ensemble: float | None
    test_interval: LossInterval | None
    single_interval: LossInterval | None
    difference_interval: LossInterval | None = None
    test_error_guess: float | None = None
    headline: PlainScore | None = None
    refitted: bool
    not_refitted: tuple[int, ...] = ()
    averaged_refit: bool = False
    notes: tuple[str, ...]
    test_notes: tuple[str, ...] = ()
    overruled: tuple[str, ...] = ()
    kept_bytes: int | None = None
    kept_reason: str = ""
    trials: int
    concluding: int = 0
    failed: int = 0
    seconds: float = 0.0
    time_budget: float | None = None
    utilisation: dict[str, float] | None = None
    exhausted: str = ""

    def __post_init__(self) -> None:
        """Judge the metric by its interval if an older version did not."""
        score, ends, guess = self.headline, self.test_interval, self.test_error_guess
        if score is None or score.by_metric is not None or not score.tested:
            return
        if ends is not None and guess is not None and self.metric not in HEADLINE_METRICS:
            new_headline = replace(score, by_metric=ends[1] < guess)
            object.__setattr__(self, "headline", new_headline)

    @property
    def key(self) -> str:
        """The result's key; equal keys imply ensembles with equal probabilities."""
        members = [(each.trial, each.weight) for each in self.members]
        parts = (members, self.combination, self.temperature, self.refitted, self.trials)
        newer_parts = [each for each in (self.correction, self.averaged_refit) if each]
        text = repr((*parts, *newer_parts))
        return blake2b(text.encode(), digest_size=8).hexdigest()

    def get_validation(self, last: float | None) -> float | None:
        """Return the ensemble's validation loss; ``last`` is the last iteration's."""
        return last if self.corrected_validation is None else self.corrected_validation

    def get_test_before_refit(self, last: float | None, n_trials: int) -> float | None:
        """Return the ensemble's test loss before the refit; ``last`` is the loss after all trials.

        A second layer is fitted after the search, so the two losses would differ even without a
        refit.
        """
        return last if self.refitted and not self.correction and n_trials == self.trials else None

    @property
    def weights(self) -> dict[int, float]:
        """The weights of the members by trial number."""
        return {each.trial: each.weight for each in self.members}

    @property
    def refitted_counts(self) -> tuple[int, int]:
        """The numbers of refitted members and of all members."""
        n_members = len(self.members)
        return (n_members - len(self.not_refitted) if self.refitted else 0), n_members

    @property
    def is_single_refitted(self) -> bool:
        """Whether the single model was refitted, if it was tested."""
        return self.refitted and self.single.trial not in self.not_refitted

    def to_json(self) -> dict[str, Any]:
        """Serialise to JSON; unknown values are omitted."""
        content = asdict(self)
        if self.utilisation is None:
            del content["time_budget"]  # a session measures both or neither
        if not self.correction:
            del content["correction"], content["corrected_validation"]
        if not self.failed:
            del content["failed"]
        if not self.not_refitted:
            del content["not_refitted"]
        if not self.averaged_refit:
            del content["averaged_refit"]
        for name in (
            "headline",
            "test_notes",
            "overruled",
            "kept_bytes",
            "utilisation",
            "test_error_guess",
        ):
            if content[name] is None or content[name] == ():
                del content[name]
        return content
