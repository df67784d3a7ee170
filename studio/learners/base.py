"""Interface of learners, and their construction."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np

from studio.arrays import Flags, Integers
from studio.errors import LearnerError, LibrarySettingError
from studio.extras import make_install_command
from studio.learners.domains import ForbiddenCombination, Settings, make_settings
from studio.learners.facts import TableFacts, Task
from studio.learners.library import LibrarySettings
from studio.learners.operators.base import ChosenOperator, make_steps, make_transformer
from studio.learners.operators.encoders import Encoder, OneHotEncoding, find_encoder
from studio.learners.self_replacing_steps import (
    DeferredEstimator,
    make_library_estimator,
    set_library_options,
)
from studio.learners.values import LearnerValues
from studio.parts import Part
from studio.phrases import phrase
from studio.trial import Value

CLASSIFICATION: tuple[Task, ...] = ("binary", "multiclass")
REGRESSION: tuple[Task, ...] = ("regression",)


@dataclass(frozen=True)
class LibraryDependency:
    """A library of a learner missing in the base installation, with the extra that adds it."""

    title: str
    module: str
    extra: str


@dataclass(frozen=True)
class BuiltPipeline:
    """An unfitted pipeline with the changes made to its settings.

    Attributes:
        estimator: Steps ``preparation``, perhaps operators, and ``learner``; takes a float64 matrix
            of shape (n, d) and class codes or values of shape (n,). Once fitted, it goes through
            :func:`studio.learners.self_replacing_steps.extract_trained`.
        clipped_values: Values that were clipped for these rows, by hyperparameter name, an
            operator's by ``key.name``. Complete after the fit, as the columns after a preprocessor
            are only known then.
        is_balanced: Whether all classes have the same total weight in the fit.
    """

    estimator: Any
    clipped_values: Mapping[str, Value]
    is_balanced: bool = False
    uses_log_target: bool = False


def make_duplicate_setting_error(learner: str, one: str, other_name: str) -> LearnerError:
    """Return the error for a setting given under two names."""
    message = phrase(
        "{one} and {other} are two names of the same setting of {learner}, and the space sets "
        "both: remove one of them, or let each be active only without the other.",
        one=one,
        other=other_name,
        learner=learner,
    )
    setting = f"{learner}.{other_name}"
    return LibrarySettingError(setting, "", one, message, concerns_value=False)


_REGRESSION_SUFFIX = " (regression)"


@dataclass(frozen=True)
class Learner(Part):
    """Base of all learners; ``key`` is the value of the space's ``algorithm``.

    Attributes:
        noun: Its name within a sentence, with an article where it has one: "a random forest".
        short_name: Its short name, for example below an axis; by default its title.
        colour_index: Index of its colour in the series, the same in all plots; learners of one
            shipped space have distinguishable ones, as far as possible of different hues.
        prediction_type: Labels are stored one-hot.
        hyperparameters: The names that a space may set as ``key.name``, with their domains.
        needs_scaling: Whether numbers are standardised in front of it.
        supports_sample_weight: Whether its ``fit`` takes ``sample_weight``.
        self_tuned_hyperparameters: Hyperparameters determined by its training from the loss of
            watched rows, such as the final step (the given value is the upper bound). It then
            builds a :class:`~studio.learners.self_replacing_steps.SelfReplacingStep`, which
            also obeys a time limit.
        supports_missing: Whether it handles missing numbers itself, in columns that had some in
            training.
        monotone: Whether it supports monotonic constraints.
        library: Describes further settings of its library's estimator; ``None`` if this program
            does the training.
        library_names: Hyperparameters by the library's names.
        required_library: A library beyond the base installation.
        max_prediction_rows: Maximum rows per prediction, to limit memory; ``None``: no limit.
    """

    noun: ClassVar[str] = ""
    short_name: ClassVar[str] = ""
    colour_index: ClassVar[int] = 0
    tasks: ClassVar[tuple[Task, ...]] = ()
    prediction_type: ClassVar[Literal["probabilities", "labels", "values"]] = "probabilities"
    hyperparameters: ClassVar[Settings] = make_settings()
    forbidden_combinations: ClassVar[tuple[ForbiddenCombination, ...]] = ()
    needs_scaling: ClassVar[bool] = True
    supports_sample_weight: ClassVar[bool] = True
    self_tuned_hyperparameters: ClassVar[tuple[str, ...]] = ()
    max_prediction_rows: ClassVar[int | None] = None
    supports_missing: ClassVar[bool] = False
    monotone: ClassVar[bool] = False
    library: ClassVar[LibrarySettings | None] = None
    library_names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    required_library: ClassVar[LibraryDependency | None] = None

    @classmethod
    def get_short_title(cls) -> str:
        """Return the title without the task, which all learners of a run share."""
        return cls.title.removesuffix(_REGRESSION_SUFFIX)

    @classmethod
    def get_missing_dependency(cls) -> str:
        """Return the missing dependency in a sentence; empty for none."""
        if cls.required_library is None or find_spec(cls.required_library.module) is not None:
            return ""
        return phrase(
            "{title} needs {needs}, which is not installed. Install it with: {command}, or leave "
            "this kind of model out of the space.",
            title=phrase(cls.get_short_title()),
            needs=phrase(cls.required_library.title),
            command=make_install_command(cls.required_library.extra),
        )

    @classmethod
    def split_values(cls, values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
        """Split values into declared and library settings; raise LearnerError for duplicates."""
        declared_values: dict[str, Value] = {}
        library_values: dict[str, Value] = {}
        names: dict[str, str] = {}
        for name, value in values.items():
            declared_name = cls.get_declared_setting_name(name)
            if declared_name in names:
                raise make_duplicate_setting_error(cls.key, names[declared_name], name)
            names[declared_name] = name
            is_declared = declared_name in cls.hyperparameters or cls.library is None
            (declared_values if is_declared else library_values)[declared_name] = value
        return declared_values, library_values

    @classmethod
    def get_declared_setting_name(cls, name: str) -> str:
        """Return the declared hyperparameter for a library's name, or the name unchanged."""
        if name in cls.hyperparameters:
            return name
        declared_name = cls.library_names.get(name, name)
        alias_names = () if cls.library is None else cls.library.list_aliases(name)
        known_names = (declared_name, *(cls.library_names.get(each, each) for each in alias_names))
        return next((each for each in known_names if each in cls.hyperparameters), name)

    def _apply_library_settings(
        self, values: LearnerValues, facts: TableFacts, library_values: Mapping[str, Value]
    ) -> Any:
        estimator = self.make_estimator(values, facts)
        if not library_values or self.library is None:
            return estimator
        inner = make_library_estimator(estimator)
        settings: dict[str, Any] = {}
        names: dict[str, str] = {}
        for name, value in library_values.items():
            library_name = self.library.get_canonical_name(name, inner)
            if library_name in settings:
                raise make_duplicate_setting_error(self.key, names[library_name], name)
            names[library_name] = name
            settings[library_name] = self.library.check_value(self.key, library_name, value, inner)
        set_library_options(estimator, settings)
        if requirement := self.library.find_unmet_requirements(self.key, inner):
            raise LearnerError(requirement)
        return estimator

    @abstractmethod
    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return the unfitted scikit-learn estimator that follows the preparation."""

    def make_default_encoder(self, facts: TableFacts) -> Encoder:
        """Return the default encoder, for spaces without a choice of encoders."""
        return OneHotEncoding()

    def build(
        self,
        values: Mapping[str, Value],
        facts: TableFacts,
        operators: Sequence[ChosenOperator] = (),
    ) -> BuiltPipeline:
        """Build the pipeline for one set of training rows.

        Args:
            values: By hyperparameter name; missing ones take the learner's default.
            operators: The space's steps between preparation and learner, in the order of the
                stages. With a rescaler, even "empty", the preparation does not scale; an encoder
                becomes part of the preparation, where "empty" means the learner's default.

        Raises:
            LearnerError: If the learner does not support the task, its library is not installed, a
                value is invalid, or it does not support required monotonic constraints.
        """
        if facts.task not in self.tasks:
            raise LearnerError(
                "{title} cannot be used for {task}; it is for {tasks}. Choose another kind of "
                "model in the space.",
                title=phrase(self.title),
                task=facts.task,
                tasks=" and ".join(self.tasks),
            )
        if message := self.get_missing_dependency():
            raise LearnerError(message)
        from sklearn.pipeline import Pipeline

        if facts.monotone is not None:
            self._check_monotone(operators, values)
        declared_values, library_values = self.split_values(values)
        reader = LearnerValues(
            self.key, declared_values, self.hyperparameters, self.forbidden_combinations
        )
        encoder, encoder_values = find_encoder(operators, self.make_default_encoder(facts))
        encode = make_transformer(encoder, encoder_values, facts, reader.clipped_values)
        facts = encoder.get_encoded_facts(facts)
        middle_steps = make_steps(
            [each for each in operators if each.stage != "encoder"], facts, reader.clipped_values
        )
        if middle_steps:  # they accept neither missing values nor codes
            facts = replace(facts, n_codes=0)
        handles_missing = self.supports_missing and not middle_steps
        keeps_missing = facts.missing_columns if handles_missing else None
        has_rescaler = any(operator.stage == "rescaler" for operator in operators)
        prepare = make_preparation(
            facts.categorical,
            encode,
            scaled=self.needs_scaling and not has_rescaler,
            measures=encoder.measures,
            keeps_missing=keeps_missing,
        )
        if facts.monotone is not None or any(name == "preprocessor" for name, _ in middle_steps):
            final_step: Any = DeferredEstimator(
                lambda columns: self._apply_library_settings(
                    reader, _set_columns(facts, columns, keeps_missing), library_values
                )
            )
        else:
            final_step = self._apply_library_settings(reader, facts, library_values)
        pipeline = Pipeline([("preparation", prepare), *middle_steps, ("learner", final_step)])
        filled = {operator.stage for operator in operators if operator.operator is not None}
        return BuiltPipeline(
            pipeline, reader.clipped_values, "balancer" in filled, "target" in filled
        )

    @classmethod
    def is_unbound(cls, name: str, values: Iterable[Value]) -> bool:
        """Return whether values of a setting allow violations of monotonic constraints."""
        return cls.library is not None and any(values) and cls.library.is_unbound(name)

    def _check_monotone(
        self, operators: Sequence[ChosenOperator], values: Mapping[str, Value]
    ) -> None:
        """Reject a learner, an operator or a setting that may violate monotonic constraints."""
        for name, value in values.items():
            if self.is_unbound(name, (value,)):
                raise LearnerError(
                    "With {name}, {title} does not support monotonic constraints. Leave that "
                    "setting out of the space.",
                    name=name,
                    title=phrase(self.get_short_title()),
                )
        unfit: list[Part] = [] if self.monotone else [self]
        unfit += [
            each.operator for each in operators if each.operator and not each.operator.monotone
        ]
        if unfit:
            raise LearnerError(
                "{title} does not support monotonic constraints. Leave it out of the space.",
                title=phrase(unfit[0].title.removesuffix(_REGRESSION_SUFFIX)),
            )


def _set_columns(facts: TableFacts, n_columns: int, is_kept: Flags | None) -> TableFacts:
    """Return the facts with the prepared columns and their constraints; ``is_kept`` (d,)."""
    if facts.monotone is None:
        return replace(facts, n_columns=n_columns)
    signs = convert_signs(facts.monotone, facts.categorical, n_columns, is_kept)
    return replace(facts, n_columns=n_columns, signs=signs)


def make_preparation(
    categorical: Flags,
    encode: Any,
    *,
    scaled: bool,
    measures: bool = False,
    keeps_missing: Flags | None = None,
) -> Any:
    """Return an unfitted ``ColumnTransformer`` for a float64 matrix of shape (n, d).

    Missing numbers become the column's median of the training rows (0 if the column has none);
    then, if the learner compares distances or penalises weights, they get zero mean and unit
    variance. Encoded categories come after the numbers.

    Args:
        categorical: Shape (d,). Which columns hold codes of categories.
        encode: For the columns of categories (:mod:`studio.learners.operators.encoders`).
        measures: Whether the encoder's columns are measures, standardised like numbers.
        keeps_missing: Shape (d,). Columns of numbers whose missing values stay NaN; they come
            between the other numbers and the categories.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    steps: list[tuple[str, Any, list[int]]] = []
    numbers, holes = _list_numeric_columns(categorical, keeps_missing)
    categories = np.flatnonzero(categorical).tolist()
    if numbers:
        # An all-missing column of one fold must be kept, else the width would change.
        impute = SimpleImputer(strategy="median", keep_empty_features=True)
        prepare = Pipeline([("impute", impute), ("scale", StandardScaler())]) if scaled else impute
        steps.append(("numbers", prepare, numbers))
    if holes:
        steps.append(("holes", "passthrough", holes))
    if categories:
        if scaled and measures:
            encode = Pipeline([("encode", encode), ("scale", StandardScaler())])
        steps.append(("categories", encode, categories))
    return ColumnTransformer(steps, sparse_threshold=0.0)


def convert_signs(
    monotone: Integers, categorical: Flags, n_columns: int, is_kept: Flags | None
) -> tuple[int, ...]:
    """Convert monotonic constraints of a table's columns, (d,), to the prepared columns.

    Columns made from categories are unconstrained.

    Args:
        monotone: Shape (d,). 1, -1 or 0.
        categorical, is_kept: See :func:`make_preparation`.
        n_columns: Number of columns after the preparation.
    """
    numbers, holes = _list_numeric_columns(categorical, is_kept)
    signs: list[int] = monotone[[*numbers, *holes]].tolist()
    return (*signs, *[0] * (n_columns - len(signs)))


def _list_numeric_columns(categorical: Flags, is_kept: Flags | None) -> tuple[list[int], list[int]]:
    """Return numeric columns, imputed or with missing values; ``categorical``, ``is_kept`` (d,)."""
    holes = np.zeros_like(categorical) if is_kept is None else is_kept & ~categorical
    return np.flatnonzero(~categorical & ~holes).tolist(), np.flatnonzero(holes).tolist()
