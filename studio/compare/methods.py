"""Methods of a study, including external libraries and duplicates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studio.compare.cells import StudyCell
from studio.compare.study_notes import StudyMethod
from studio.errors import UsageError
from studio.parts import find_part
from studio.phrases import join_phrases, phrase
from studio.proposers.base import Proposer
from studio.proposers.optuna import OptunaSearch
from studio.proposers.preset_table import PRESETS as ALL
from studio.proposers.presets import get_preset
from studio.proposers.registry import REGISTRY


def find_duplicate_methods(cells: Iterable[StudyCell], names: Sequence[str]) -> dict[str, str]:
    """Return duplicate methods → the earlier name.

    Two names are one method if, in every common cell, all parts, options and the space are equal:
    their trials are then identical, and would be counted twice.
    """
    parts_by_method: dict[str, dict[tuple[str, str], Any]] = {}
    for cell in cells:
        method_parts = parts_by_method.setdefault(cell.method.name, {})
        cell_key = (cell.dataset.name, cell.space)
        # Repetitions differ in seeds and splits only.
        if cell_key not in method_parts:
            method_parts[cell_key] = _list_parts(cell)
    duplicates: dict[str, str] = {}
    methods_present = [name for name in names if name in parts_by_method]
    for position, name in enumerate(methods_present):
        for previous in methods_present[:position]:
            if previous not in duplicates and _share_equal_options(
                parts_by_method[name], parts_by_method[previous]
            ):
                duplicates[name] = previous
                break
    return duplicates


def explain_duplicates(duplicates: Mapping[str, str]) -> tuple[str, ...]:
    """Explain for each duplicate which method it equals, a sentence each."""
    return tuple(
        phrase(
            "{name} is identical to {earlier}: the same parts, options and space. It is counted "
            "once, as {earlier}.",
            name=name,
            earlier=original,
        )
        for name, original in duplicates.items()
    )


def _list_parts(cell: StudyCell) -> tuple[Any, ...]:
    method = cell.compose_method()
    return method.proposer, method.evaluation, method.ensemble, cell.settings.space


def _share_equal_options(options: Mapping[Any, Any], other_options: Mapping[Any, Any]) -> bool:
    common_keys = options.keys() & other_options.keys()
    return bool(common_keys) and all(options[key] == other_options[key] for key in common_keys)


PEER_PRESETS = tuple(
    each
    for each in ALL
    if issubclass(find_part(REGISTRY, each.parts["proposer"], phrase("proposer")), OptunaSearch)
)


def find_peer_methods(names: Sequence[str]) -> tuple[StudyMethod, ...]:
    """Return methods of other libraries by name, as for ``--with``, or raise UsageError."""
    presets = {name: preset for preset in PEER_PRESETS for name in (preset.key, *preset.aliases)}
    for name in names:
        if name not in presets:
            raise UsageError(
                "There is no search of another library called {name!r}; available: "
                "{presets}. This program's own methods are chosen with --methods.",
                name=name,
                presets=", ".join(preset.key for preset in PEER_PRESETS),
            )
    return tuple(StudyMethod(presets[name].key, presets[name].key) for name in names)


def check_installed(methods: Iterable[StudyMethod]) -> None:
    """Raise one UsageError for all methods with missing libraries."""
    messages = dict.fromkeys(
        message for each in methods if (message := _get_proposer(each).get_missing_dependency())
    )
    if messages:
        raise UsageError(join_phrases(messages))


def list_libraries(methods: Iterable[StudyMethod]) -> tuple[str, ...]:
    """Return the external libraries used by methods, without duplicates."""
    uses_optuna = any(issubclass(_get_proposer(each), OptunaSearch) for each in methods)
    return ("optuna",) if uses_optuna else ()


def _get_proposer(method: StudyMethod) -> type[Proposer]:
    key = method.set.get("proposer", get_preset(method.method).parts["proposer"])
    return find_part(REGISTRY, str(key), phrase("proposer"))
