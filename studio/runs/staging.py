"""A run's data for its workers: arrays in files, memory-mapped by all."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers, write_npy
from studio.data.evaluation.base import Evaluation
from studio.data.evaluation.registry import REGISTRY
from studio.data.splits import Folds, Split, SplitPlan, make_strata
from studio.learners.facts import Task
from studio.learners.targets import PredictionTarget
from studio.parts import find_part
from studio.phrases import phrase
from studio.scratch import recreate
from studio.seeds import derive

if TYPE_CHECKING:
    from studio.data.problem import Problem

_SPLIT = "split-"
_GROUPS = "groups"


@dataclass(frozen=True)
class FoldInputs:
    """All inputs of a trial's folds, except its seed.

    A trial's seed is derived from the run's seed and the trial's start index, and stored with the
    trial. Its folds can thus be recomputed from the document alone, and a stopped run continues
    with the same folds.

    Attributes:
        strata: Shape (n,). Class codes of all rows; zeros for regression.
        groups: Shape (n,). Group codes of all rows.
    """

    evaluation: Evaluation
    split: Split
    plan: SplitPlan
    strata: Integers
    groups: Integers | None

    def make_folds(self, trial_seed: int) -> Folds:
        """Return training and prediction rows of the trial with this seed, or raise an error."""
        seed = derive(trial_seed, "split")
        return self.evaluation.make_folds(self.split, self.plan, self.strata, self.groups, seed)

    def make_header(self) -> dict[str, Any]:
        """Return the non-array fields as plain JSON."""
        return {
            "evaluation": self.evaluation.key,
            "options": self.evaluation.to_json(),
            "plan": self.plan.to_json(),
        }

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays by name, shape (k,) each, except strata (derived from targets)."""
        arrays = {f"{_SPLIT}{name}": array for name, array in self.split.to_arrays().items()}
        return arrays if self.groups is None else arrays | {_GROUPS: self.groups}

    @classmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Mapping[str, AnyArray], strata: Integers
    ) -> Self:
        """Rebuild from :meth:`make_header` and :meth:`to_arrays`; strata have shape (n,)."""
        split = {
            name.removeprefix(_SPLIT): each for name, each in arrays.items() if name != _GROUPS
        }
        evaluation = find_part(REGISTRY, header["evaluation"], phrase("evaluation"))
        return cls(
            evaluation=evaluation.with_options(header["options"]),
            split=Split.from_arrays(split),
            plan=SplitPlan.from_json(header["plan"]),
            strata=strata,
            groups=arrays.get(_GROUPS),
        )


def list_predicted_rows(folds: Folds) -> Integers:
    """Return the rows, (n,), predicted by a trial, ascending, in the order of its predictions."""
    rows: Integers = np.sort(np.concatenate([held_out for _, held_out in folds]))
    return rows


HEADER_FILE = "data.json"

ROUNDING = 1e-5
"""Maximum rounding error of stored values as a share of the target's standard deviation."""


@dataclass(frozen=True)
class TrialData:
    """The training and scoring data of all trials of a run.

    Attributes:
        X: Shape (n, d), float64. Numbers, and codes of categories; NaN if missing. Mapped
            read-only.
        y: Shape (n,). Class codes (int64) or values (float64).
        n_classes: 0 for regression.
        categorical: Shape (d,). Which columns hold codes of categories.
        folds: Training and prediction rows of each fold, shape (k,) each; one fold for a hold-out.
        validation: Shape (n_V,). All validation rows, ascending: the order of the predictions.
        test: Shape (n_G,). Test rows; may be empty.
        selection: Shape (n_S,). Selection rows; may be empty.
        weights: Shape (n,). ``None`` for equal weights.
        balanced: Whether every class has the same total weight in a fit.
        monotone: Shape (d,). Direction of effect of each column of X.
        redraw: Gives each trial separate folds; ``None`` if all use ``folds``.
    """

    X: Floats
    y: AnyArray
    task: Task
    n_classes: int
    categorical: Flags
    folds: tuple[tuple[Integers, Integers], ...]
    validation: Integers
    test: Integers
    selection: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weights: Floats | None = None
    balanced: bool = False
    redraw: FoldInputs | None = None
    aim: PredictionTarget = field(default_factory=PredictionTarget)
    monotone: Integers | None = None

    @property
    def centre(self) -> float:
        """The offset subtracted before training, in the target's unit; usually 0.

        Trees and boosting use squares or single precision, which cannot distinguish close values
        far from 0.
        """
        return float(self.y.mean()) if self.stored_type is np.float64 else 0.0

    @property
    def stored_type(self) -> type[np.float16 | np.float32 | np.float64]:
        """The type of stored predictions: half precision for probabilities.

        The test loss of members that are not refitted comes from these, so that of their exported
        predictions may differ in the fifth decimal.

        Values are stored in single precision (relative error up to 6e-8), or in double precision if
        that error would exceed :data:`ROUNDING` standard deviations of the target.
        """
        if self.n_classes:
            return np.float16
        magnitude, spread = float(np.abs(self.y).max()), float(self.y.std())
        resolution = np.finfo(np.float32).eps / 2
        return np.float32 if resolution * magnitude <= ROUNDING * spread else np.float64

    def get_folds(self, seed: int) -> tuple[tuple[Integers, Integers], ...]:
        """Return the training and prediction rows of a trial's folds, shape (k,) each."""
        return self.folds if self.redraw is None else self.redraw.make_folds(seed)

    @classmethod
    def from_problem(
        cls,
        problem: "Problem",
        split: Split,
        redraw: FoldInputs | None = None,
        *,
        balanced: bool = False,
        aim: PredictionTarget | None = None,
    ) -> Self:
        """Extract the data for trials from a problem and its split."""
        return cls(
            X=problem.X,
            y=problem.y,
            task=problem.task,
            n_classes=len(problem.classes),
            categorical=problem.categorical,
            folds=split.folds,
            validation=split.validation,
            test=split.test,
            selection=split.selection,
            weights=problem.weights,
            balanced=balanced,
            redraw=redraw,
            aim=aim or PredictionTarget(),
            monotone=problem.monotone,
        )

    def save(self, folder: Path) -> tuple[Path, ...]:
        """Write all data to a folder, for :meth:`load` in other processes; return the files."""
        header = {
            "task": self.task,
            "n_classes": self.n_classes,
            "categorical": np.flatnonzero(self.categorical).tolist(),
            "n_features": self.X.shape[1],
            "folds": len(self.folds),
            "balanced": self.balanced,
            "aim": asdict(self.aim),
            "weighted": self.weights is not None,
            "monotone": None if self.monotone is None else self.monotone.tolist(),
        }
        arrays: dict[str, AnyArray] = {
            "X": np.asarray(self.X, dtype=np.float64),
            "y": self.y,
            "validation": np.asarray(self.validation, dtype=np.int64),
            "test": np.asarray(self.test, dtype=np.int64),
            "selection": np.asarray(self.selection, dtype=np.int64),
        }
        if self.weights is not None:
            arrays["weights"] = np.asarray(self.weights, dtype=np.float64)
        for fold, (training, held_out) in enumerate(self.folds):
            arrays[f"training-{fold}"] = np.asarray(training, dtype=np.int64)
            arrays[f"validation-{fold}"] = np.asarray(held_out, dtype=np.int64)
        if self.redraw is not None:
            redraw_arrays = self.redraw.to_arrays()
            header["redraw"] = self.redraw.make_header()
            header["redraw_arrays"] = sorted(redraw_arrays)
            arrays |= {f"redraw-{name}": array for name, array in redraw_arrays.items()}
        recreate(folder)
        for name, array in arrays.items():
            save_array(folder / f"{name}.npy", array)
        # Atomically: a worker may be reading a lost file that is being rewritten.
        partial = folder / f"{HEADER_FILE}.part"
        partial.write_text(json.dumps(header), encoding="utf-8")
        partial.replace(folder / HEADER_FILE)
        return (*(folder / f"{name}.npy" for name in arrays), folder / HEADER_FILE)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Map the data written by :meth:`save`."""
        header = json.loads((folder / HEADER_FILE).read_text(encoding="utf-8"))
        categorical = np.zeros(header["n_features"], dtype=bool)
        categorical[header["categorical"]] = True

        def map_array(name: str) -> AnyArray:
            return load_array(folder / f"{name}.npy")

        y = map_array("y")
        redraw = None
        if "redraw" in header:
            redraw_arrays = {name: map_array(f"redraw-{name}") for name in header["redraw_arrays"]}
            strata = make_strata(y, header["n_classes"])
            redraw = FoldInputs.from_parts(header["redraw"], redraw_arrays, strata)
        return cls(
            X=map_array("X"),
            y=y,
            task=header["task"],
            n_classes=header["n_classes"],
            categorical=categorical,
            folds=tuple(
                (map_array(f"training-{fold}"), map_array(f"validation-{fold}"))
                for fold in range(header["folds"])
            ),
            validation=map_array("validation"),
            test=map_array("test"),
            selection=map_array("selection"),
            weights=map_array("weights") if header["weighted"] else None,
            balanced=header["balanced"],
            redraw=redraw,
            aim=PredictionTarget(**header["aim"]),
            monotone=None if header["monotone"] is None else np.array(header["monotone"]),
        )


def get_data_folder(scratch: Path, version: int) -> Path:
    """Return the folder for a version of a pool's data; separate, as mapped files stay open."""
    return scratch / f"data-{version}"


def save_array(path: Path, array: AnyArray) -> None:
    """Write an array of any shape without pickle, atomically."""
    recreate(path.parent)
    partial = path.with_name(f"{path.name}.part")
    with partial.open("wb") as file:
        write_npy(file, np.ascontiguousarray(array))
    partial.replace(path)


def load_array(path: Path) -> AnyArray:
    """Map an array of any shape read-only, without pickle."""
    array = np.load(path, allow_pickle=False, mmap_mode="r")
    assert isinstance(array, np.ndarray)
    return array
