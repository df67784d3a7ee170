"""Fitted models to and from a record of plain JSON and arrays."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.errors import KeepingError
from studio.keeping.packing import ArrayUnpacker
from studio.keeping.values import ValueReader, Writer

_STRUCTURE = "structure"
_NEEDED = ("scikit-learn", "numpy", "lightgbm")
_OPTIONAL = ("xgboost",)
"""Needed only where a model names it."""


@dataclass(frozen=True)
class Kept:
    """Fitted models that run nothing when they are read.

    Attributes:
        structure: JSON: what the models are, with the places of their arrays.
        arrays: Long arrays, shape (total,) each, by type.
    """

    structure: str
    arrays: Mapping[str, AnyArray]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "Kept":
        """Return the record that :meth:`to_arrays` took apart, arrays in their shapes.

        Raises:
            KeepingError: If it has no structure.
        """
        text = arrays.get(_STRUCTURE)
        if text is None or text.dtype != np.uint8 or text.ndim != 1:
            raise KeepingError("It has no structure.")
        try:
            structure = text.tobytes().decode("ascii")
        except UnicodeDecodeError as error:
            raise KeepingError("Its structure is not text.") from error
        return cls(structure, {name: each for name, each in arrays.items() if name != _STRUCTURE})

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all of it as arrays by name; the structure as bytes of its text, shape (k,)."""
        text = np.frombuffer(self.structure.encode("ascii"), dtype=np.uint8)
        return {**self.arrays, _STRUCTURE: text}

    def checksum(self) -> str:
        """Return the SHA-256 of all of it."""
        found = hashlib.sha256(self.structure.encode())
        for kind in sorted(self.arrays):
            found.update(kind.encode())
            found.update(np.ascontiguousarray(self.arrays[kind]).view(np.uint8).data)
        return found.hexdigest()


def versions(kept: Kept) -> dict[str, str]:
    """Return the versions of what kept models consist of: attributes differ between them.

    A library that they need and that is not installed has the version "".
    """
    optional = [name for name in _OPTIONAL if f'"{name}.' in kept.structure]
    return {name: version(name) for name in _NEEDED} | {
        name: "" if find_spec(name) is None else version_of(name) for name in optional
    }


def version_of(package: str) -> str:
    """Return a package's version, also where another distribution brings it (xgboost-cpu)."""
    try:
        return version(package)
    except PackageNotFoundError:
        return str(import_module(package).__version__)


def encode(models: Sequence[Any]) -> Kept:
    """Take fitted models apart.

    Args:
        models: Lists of fitted estimators of :mod:`studio.keeping.names`, or such estimators.

    Raises:
        KeepingError: If one cannot be kept; the message says why.
    """
    writer = Writer()
    plain = writer.value(list(models))
    structure = json.dumps(plain, allow_nan=False, separators=(",", ":"))
    return Kept(structure, writer.packer.arrays())


def decode(kept: Kept) -> list[Any]:
    """Put fitted models together again.

    Nothing that is in the record runs: only classes and functions of the program's own list are
    named there, and what their compiled code relies on has been checked.

    Raises:
        KeepingError: If the record is not what :func:`encode` makes.
    """
    try:
        found = ValueReader(ArrayUnpacker(kept.arrays)).value(json.loads(kept.structure))
    except KeepingError:
        raise
    except Exception as error:
        # Whatever a wrong record makes scikit-learn or LightGBM say, it says that it is wrong.
        raise KeepingError("Kept models are damaged ({error}).", error=error) from error
    if not isinstance(found, list):
        raise KeepingError("Kept models are damaged.")
    return found
