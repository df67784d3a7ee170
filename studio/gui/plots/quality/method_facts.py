"""Facts about a run's method for the progress plot."""

from studio.data.metrics.registry import get_metric
from studio.ensembles.single_model import PosteriorMean
from studio.gui.plots.base.subjects import Subject
from studio.language import tr, translate
from studio.parts import OptionValue
from studio.proposers.composition import Preset
from studio.proposers.preset_table import PRESETS
from studio.runs.settings import RunSettings

_GREEDY, _BY_ERROR = "greedy", "zero-one"


def _find_preset(settings: RunSettings) -> Preset | None:
    method = settings.method
    return next((each for each in PRESETS if method in {each.key, *each.aliases}), None)


def name_method(settings: RunSettings) -> str:
    """Return a run's method as displayed, with its key: "Ensemble search, sigmoid (EO-sig)"."""
    preset, key = _find_preset(settings), settings.method
    title = "" if preset is None else translate(preset.title)
    return key if title in {"", key} else f"{title} ({key})"


def _get_parts(settings: RunSettings) -> dict[str, OptionValue]:
    preset = _find_preset(settings)
    return {**({} if preset is None else preset.get_all_parts()), **settings.overrides}


def uses_surrogate(settings: RunSettings) -> bool:
    """Whether a run's method has a surrogate; True if unknown."""
    parts = _get_parts(settings)
    return "surrogate" in parts or "proposer" not in parts


def uses_posterior_mean(settings: RunSettings) -> bool:
    """Whether a run's final choice is the argmin of the surrogate's posterior mean (thesis 3.4)."""
    return _get_parts(settings).get("ensemble") == PosteriorMean.key


def describe_selection(subject: Subject) -> str:
    """State if the ensemble is selected by errors but judged by probabilities; else empty."""
    settings, preset = subject.settings, _find_preset(subject.settings)
    task, key = settings.source.task, settings.metric
    if task == "auto" or key is None or _get_parts(settings).get("ensemble") != _GREEDY:
        return ""
    options = {**({} if preset is None else preset.options), **settings.overrides}
    by_metric = (
        options.get("ensemble.loss", _BY_ERROR) != _BY_ERROR
        or options.get("ensemble.combination") == "auto"
    )
    if by_metric or get_metric(key, task).prediction_type != "probabilities":
        return ""
    return tr(
        "As published, {run} selects its ensemble by the error rate, so its {metric} may rise.",
        run=subject.name,
        metric=subject.series.measure.title,
    )
