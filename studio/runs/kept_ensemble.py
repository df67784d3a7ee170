"""A run's final ensemble in its document: stored at the end, loaded instead of retrained.

A stored ensemble belongs to exactly one result. It is used only if members, weights, trials, kind
of training and library versions are unchanged.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from studio.arrays import AnyArray
from studio.document import shapes
from studio.document.ensembles import MAX_BYTES, EncodedEnsemble, encode_ensemble
from studio.document.store import Document
from studio.ensembles.base import Combination, Ensemble
from studio.ensembles.calibration import is_valid_temperature
from studio.ensembles.correction import Correction
from studio.ensembles.layer import Layer
from studio.errors import DocumentError, SerializationError
from studio.phrases import phrase
from studio.runs.causes import Failure
from studio.runs.correcting import get_correction_folds
from studio.runs.final_models import FinalModel, StoppedError
from studio.runs.jobs import RefitResult, TrialOutcome, make_pack_job
from studio.runs.model_files import pack, read_record
from studio.runs.pool import Pool
from studio.runs.prepare import PreparedRun
from studio.serialization.codec import SerializedModels, decode, encode, list_versions
from studio.system_faults import explain_system_error
from studio.trial import History

_MAX_PICKLE_BYTES = 400 << 20
_TOO_LARGE = phrase(
    "The trained ensemble is larger than the limit of {megabytes} MB per document, so its members "
    "are trained again for each prediction and export.",
    megabytes=MAX_BYTES >> 20,
)


@dataclass(frozen=True)
class StoredModels:
    """A trained ensemble loaded from a document, with the models of each member."""

    ensemble: Ensemble
    models: tuple[tuple[Any, ...], ...]

    def select_member(self, trial: int) -> "StoredModels | None":
        """Return the ensemble reduced to one member; ``None`` if the trial is not a member."""
        if trial not in self.ensemble.members:
            return None
        index = self.ensemble.members.index(trial)
        return StoredModels(Ensemble.from_single_trial(trial), (self.models[index],))


@dataclass(frozen=True)
class _Correction:
    """A :class:`Correction` in stored form, without its trees, members and folds."""

    share: float
    digests: tuple[str, ...]
    checksum: str


@dataclass(frozen=True)
class StoredMetadata:
    """Identity of an ensemble and of its result."""

    members: tuple[int, ...]
    weights: tuple[float, ...]
    combination: Combination
    layer: dict[str, Any] | None
    trials: int
    refitted: bool
    builder: dict[str, Any]
    versions: dict[str, str]
    checksum: str
    temperature: float = 1.0  # default for documents of versions without this field
    correction: dict[str, Any] | None = None
    averaged_refit: bool = False


def serialize_ensemble(
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    models: Mapping[int, FinalModel],
    *,
    pool: Pool,
    stopped: Callable[[], bool],
    folder: Path,
) -> tuple[EncodedEnsemble | None, str]:
    """Serialise the final models for the document; ``None`` with a reason if impossible.

    Args:
        models: By trial number: files written by workers of this session.
        pool: Idle workers, one of which packs the models if it has access to the files.

    Raises:
        StoppedError: If ``stopped`` returned true.
    """
    files = [models[number].files for number in ensemble.members]
    try:
        if sum(file.stat().st_size for each in files for file in each) > _MAX_PICKLE_BYTES:
            return None, _TOO_LARGE
        packed = folder / "packed.npz"
        if pool.shares_files:
            configuration = history.trials[ensemble.members[0] - 1].configuration
            job = make_pack_job(prepared_run.space, configuration, files=files, packed=packed)
            _pack_by_worker(pool, job, stopped)
        else:
            pack(files, packed)
        fit = read_record(packed)
    except (SerializationError, OSError) as error:
        # The disk may be full, or temporary files may have been removed.
        return None, phrase(
            "The document contains no trained ensemble, so the members are trained again for each "
            "prediction and export. {reason}",
            reason=explain_system_error(error) or error,
        )
    arrays = fit.to_arrays()
    stored_correction = None
    if (correction := ensemble.correction) is not None:
        trees = encode([correction.forest])
        arrays |= {f"{_TREES}{name}": array for name, array in trees.to_arrays().items()}
        stored_correction = asdict(
            _Correction(correction.share, correction.digests, trees.compute_checksum())
        )
    metadata = StoredMetadata(
        members=ensemble.members,
        weights=ensemble.weights,
        combination=ensemble.combination,
        layer=None if ensemble.layer is None else asdict(ensemble.layer),
        trials=len(history),
        refitted=prepared_run.settings.refit,
        averaged_refit=prepared_run.settings.averaged_refit,
        builder=_builder_to_json(prepared_run),
        versions=list_versions(fit),
        checksum=fit.compute_checksum(),
        temperature=ensemble.temperature,
        correction=stored_correction,
    )
    encoded = encode_ensemble(asdict(metadata), arrays)
    return encoded, "" if encoded is not None else _TOO_LARGE


def _pack_by_worker(pool: Pool, job: dict[str, Any], stopped: Callable[[], bool]) -> None:
    pool.submit(0, job)
    result = await_only_job(pool, stopped)
    if isinstance(result, Failure):
        raise SerializationError(result.cause)


def await_only_job(pool: Pool, stopped: Callable[[], bool]) -> RefitResult | TrialOutcome | Failure:
    """Return the outcome of a pool's only job; raise StoppedError if ``stopped`` is true."""
    while not (results := pool.wait(0.1)):
        if stopped():
            pool.cancel_all()
            raise StoppedError(
                "Stopped while the trained ensemble was being packed; everything else is kept."
            )
    return results[0].result


def read_kept(
    document: Document, run_id: int, prepared_run: PreparedRun, *, only_to_predict: bool = True
) -> tuple[StoredModels | None, str]:
    """Return the trained ensemble of a run's result, if it is stored.

    Args:
        only_to_predict: See :func:`studio.serialization.codec.decode`.

    Returns:
        ``None`` if the models must be trained, with a sentence if the stored ones are damaged, were
        changed, or were written with other library versions.
    """
    try:
        metadata = _load_current_metadata(document, run_id, prepared_run)
        if metadata is None:
            return None, ""
        fit, trees = read_records(document, run_id)
        if metadata.versions != list_versions(fit):
            return None, phrase(
                "The stored ensemble was trained with other versions of scikit-learn, numpy, "
                "LightGBM or XGBoost, so its members were trained again."
            )
        return _assemble(metadata, fit, trees, prepared_run, only_to_predict=only_to_predict), ""
    except (DocumentError, SerializationError) as error:
        return None, phrase(
            "The stored ensemble is damaged, so its members were trained again. {error}",
            error=error,
        )


def _assemble(
    metadata: StoredMetadata,
    serialized_fit: SerializedModels,
    serialized_trees: SerializedModels | None,
    prepared_run: PreparedRun,
    *,
    only_to_predict: bool,
) -> StoredModels:
    if serialized_fit.compute_checksum() != metadata.checksum:
        raise SerializationError("Its checksum differs.")
    ensemble = _build_ensemble(metadata)
    if metadata.correction is not None:
        correction = _load_correction(
            metadata, serialized_trees, prepared_run, only_to_predict=only_to_predict
        )
        ensemble = replace(ensemble, correction=correction)
    decoded = decode(serialized_fit, only_to_predict=only_to_predict)
    return StoredModels(ensemble, _load_models(decoded, len(metadata.members)))


def read_metadata(document: Document, run_id: int) -> StoredMetadata | None:
    """Return the metadata of a run's stored ensemble; ``None`` if it has none."""
    metadata_json = document.ensembles.read_metadata(run_id)
    if metadata_json is None:
        return None
    return shapes.build(StoredMetadata, json.loads(json.dumps(metadata_json)), f"ensemble {run_id}")


_TREES = "correction."
"""Name prefix of a correction's arrays, to distinguish them from those of the members' models."""


def read_records(
    document: Document, run_id: int
) -> tuple[SerializedModels, SerializedModels | None]:
    """Return the records of a stored ensemble's members, and of its correction's trees, if any."""
    models: dict[str, AnyArray] = {}
    trees: dict[str, AnyArray] = {}
    for name, array in document.ensembles.read_arrays(run_id).items():
        (trees if name.startswith(_TREES) else models)[name.removeprefix(_TREES)] = array
    stored_trees = SerializedModels.from_arrays(trees) if trees else None
    return SerializedModels.from_arrays(models), stored_trees


def _load_correction(
    metadata: StoredMetadata,
    serialized_trees: SerializedModels | None,
    prepared_run: PreparedRun,
    *,
    only_to_predict: bool,
) -> Correction:
    from sklearn.ensemble import ExtraTreesRegressor

    content = shapes.build(_Correction, metadata.correction, "correction")
    if serialized_trees is None or serialized_trees.compute_checksum() != content.checksum:
        raise SerializationError("Its checksum differs.")
    folds, n_classes = get_correction_folds(prepared_run), prepared_run.problem.n_classes
    forest, *others = decode(serialized_trees, only_to_predict=only_to_predict)
    is_valid = (
        not others
        and isinstance(forest, ExtraTreesRegressor)
        and forest.n_features_in_ == (len(metadata.members) + 1) * n_classes
        and forest.n_outputs_ == n_classes
        and len(forest.estimators_) % (int(folds.max()) + 1) == 0
        and len(content.digests) == len(metadata.members) > 1
        and metadata.combination == "mean"
        and 0.0 < content.share <= 1.0
    )
    if not is_valid:
        raise SerializationError("Its second layer belongs to another ensemble.")
    return Correction(content.share, metadata.members, forest, folds, content.digests)


def _load_current_metadata(
    document: Document, run_id: int, prepared_run: PreparedRun
) -> StoredMetadata | None:
    metadata = read_metadata(document, run_id)
    result = document.runs.get(run_id).result
    if metadata is None or result is None:
        return None
    pairs = zip(metadata.members, metadata.weights, strict=False)
    belongs = (
        [(each.trial, each.weight) for each in result.members] == list(pairs)
        and len(metadata.members) == len(metadata.weights) > 0
        and result.combination == metadata.combination
        and result.temperature == metadata.temperature
        and result.correction == (metadata.correction or {}).get("share", 0.0)
        and result.trials == metadata.trials >= document.trials.count(run_id)
        and result.refitted == metadata.refitted == prepared_run.settings.refit
        and _is_current(metadata.builder, prepared_run)
    )
    return metadata if belongs else None


_CORRECT = "correct"
"""The option without effect on the selection: a second layer is part of the result."""


def _is_current(builder: dict[str, Any], prepared_run: PreparedRun) -> bool:
    """Whether the stored builder equals the current one, with newer options at their defaults."""
    options_declared = prepared_run.method.ensemble.list_options()
    defaults = {each.name: each.default for each in options_declared if each.name != _CORRECT}
    options = builder.get("options")
    all_options = {**defaults, **options} if isinstance(options, dict) else options
    return {**builder, "options": all_options} == _builder_to_json(prepared_run)


def _builder_to_json(prepared_run: PreparedRun) -> dict[str, Any]:
    """Return the ensemble builder as plain JSON, as part of the selection's identity."""
    builder = prepared_run.method.ensemble
    options = {name: value for name, value in builder.to_json().items() if name != _CORRECT}
    identity = {"key": builder.key, "options": options, "metric": prepared_run.metric.key}
    identity_json: dict[str, Any] = json.loads(
        json.dumps({**identity, "seed": prepared_run.settings.seed})
    )
    return identity_json


def _build_ensemble(metadata: StoredMetadata) -> Ensemble:
    layer = None
    if metadata.layer is not None:
        layer = shapes.build(Layer, metadata.layer, "layer")
    if (layer is None) == (metadata.combination == "stack"):
        raise SerializationError("It has no layer, or one too many.")
    is_mean = metadata.combination == "mean" and len(metadata.members) > 1
    if metadata.temperature != 1.0 and not (is_mean and is_valid_temperature(metadata.temperature)):
        raise SerializationError("Its temperature is out of range.")
    return Ensemble(
        metadata.members, metadata.weights, metadata.combination, layer, metadata.temperature
    )


def _load_models(decoded: Sequence[Any], n_members: int) -> tuple[tuple[Any, ...], ...]:
    from sklearn.pipeline import Pipeline

    if len(decoded) != n_members or not all(
        isinstance(each, list) and each and all(isinstance(pipeline, Pipeline) for pipeline in each)
        for each in decoded
    ):
        raise SerializationError("It has different members.")
    return tuple(tuple(each) for each in decoded)
