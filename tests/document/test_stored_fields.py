"""Names of stored fields: documents of earlier versions have them."""

import dataclasses
import inspect
import json
import pkgutil
import typing
from importlib import import_module
from pathlib import Path
from typing import Any

import studio.document

STORED = Path(__file__).with_name("stored_fields.json")
"""Record → its fields in documents, by ``asdict``. Fields may be added, but not removed."""


def collect_fields(kind: Any, fields: dict[str, list[str]]) -> None:
    """Add the fields of the dataclasses within a type."""
    for part in typing.get_args(kind):
        collect_fields(part, fields)
    if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and kind.__name__ not in fields:
        fields[kind.__name__] = [each.name for each in dataclasses.fields(kind)]
        for part in typing.get_type_hints(kind).values():
            collect_fields(part, fields)


def test_stored_fields_keep_their_names() -> None:
    fields: dict[str, list[str]] = {}
    for module in pkgutil.iter_modules(studio.document.__path__, "studio.document."):
        for kind in vars(import_module(module.name)).values():
            collect_fields(kind, fields)
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    missing = {
        name: sorted(set(names) - set(fields.get(name, ()))) for name, names in stored.items()
    }
    assert not {name: names for name, names in missing.items() if names}
