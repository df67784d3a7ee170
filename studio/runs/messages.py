"""Messages between engine and workers: a JSON header and raw arrays, never pickles.

A message is the length of the header (4 bytes, big-endian), the header (JSON, UTF-8, with the
name, dtype and shape of every array under ``arrays``), and the arrays' bytes one after another.
Messages of workers are type-checked, as a learner may have written to the pipe.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

import numpy as np

from studio.annotations import Reading, SchemaError
from studio.arrays import AnyArray
from studio.errors import StudioError
from studio.phrases import phrase_to_json
from studio.plain_json import read_json
from studio.runs.causes import Failure
from studio.runs.jobs import RefitResult, TrialOutcome
from studio.trial import Training

LENGTH_PREFIX = struct.Struct(">I")
MAX_HEADER_BYTES = 64 * 2**20
MAX_ARRAY_BYTES = 2**36

Message = tuple[dict[str, Any], dict[str, AnyArray]]
"""A header, and arrays by name."""


class MessageError(StudioError):
    """Another process sent an invalid or incomplete message."""

    def __init__(self) -> None:
        super().__init__("Another process of this program sent something that is not a message.")


@dataclass(frozen=True)
class _ArrayHeader:
    """Type and shape of an array that follows a header."""

    name: str
    dtype: Literal["float16", "float32", "float64", "int64"]
    shape: tuple[int, ...]


_ARRAY_HEADERS_READER = Reading().find_reader(tuple[_ArrayHeader, ...])


def write_message(
    stream: BinaryIO, header: Mapping[str, Any], arrays: Mapping[str, AnyArray] | None = None
) -> None:
    """Write a message, with arrays of any shape, and flush it."""
    contiguous = {name: np.asarray(array, order="C") for name, array in (arrays or {}).items()}
    array_headers = [
        {"name": name, "dtype": array.dtype.name, "shape": array.shape}
        for name, array in contiguous.items()
    ]
    text = json.dumps(phrase_to_json({**header, "arrays": array_headers})).encode()
    stream.write(LENGTH_PREFIX.pack(len(text)) + text)
    for array in contiguous.values():
        stream.write(array.reshape(-1).view(np.uint8).data)
    stream.flush()


def read_message(stream: BinaryIO) -> Message | None:
    """Read a message with arrays of any shape; ``None`` at the end, MessageError if malformed."""
    first = stream.read(LENGTH_PREFIX.size)
    if not first:
        return None
    if len(first) < LENGTH_PREFIX.size or LENGTH_PREFIX.unpack(first)[0] > MAX_HEADER_BYTES:
        raise MessageError
    try:
        header = read_json(_read_exactly(stream, LENGTH_PREFIX.unpack(first)[0]))
        if not isinstance(header, dict):
            raise MessageError
        array_headers = _ARRAY_HEADERS_READER(header.pop("arrays", []), {})
        return header, {each.name: _read_array(stream, each) for each in array_headers}
    except (ValueError, MemoryError) as error:
        raise MessageError from error


def _read_array(stream: BinaryIO, header: _ArrayHeader) -> AnyArray:
    dtype = np.dtype(header.dtype)
    # If one dimension is 0, the others may be arbitrarily large.
    if dtype.itemsize * math.prod(max(1, size) for size in header.shape) > MAX_ARRAY_BYTES:
        raise MessageError
    array = np.empty(header.shape, dtype)
    if array.size:
        view, filled = array.reshape(-1).view(np.uint8).data, 0
        while filled < len(view):
            count = stream.readinto(view[filled:])  # type: ignore[attr-defined]
            if not count:
                raise MessageError
            filled += count
    return array


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise MessageError
    return data


def get_pipe(stream: Any) -> BinaryIO:
    """Return a process's pipe, asserting that it exists."""
    assert stream is not None, "it is started with pipes"
    pipe: BinaryIO = stream
    return pipe


@dataclass(frozen=True)
class TrainedMessage:
    """A successful training with its measurements and notes."""

    measured: Training
    note: str = ""


@dataclass(frozen=True)
class WorkerMessage:
    """A message of a worker.

    Attributes:
        kind: "ready" to work, job "begun", memory "stale" with earlier data, "broken", the current
            "fold", or a "result".
        peak: Its peak memory, bytes.
        retire: Whether the worker must be replaced because the job leaked resources.
    """

    kind: Literal["ready", "begun", "stale", "broken", "fold", "result"]
    reason: str = ""
    job: int = 0
    fold: int = 0
    folds: int = 0
    peak: int = 0
    retire: bool = False
    result: TrainedMessage | None = None
    failure: Failure | None = None


_READER = Reading(accepts_integers=True).find_reader(WorkerMessage)

Result = TrialOutcome | RefitResult | Failure


def parse(message: Message) -> tuple[WorkerMessage, Result | None]:
    """Parse a worker's message with its result, or raise MessageError."""
    header, arrays = message
    try:
        worker_message: WorkerMessage = _READER(header, {})
    except SchemaError as error:
        raise MessageError from error
    if worker_message.kind != "result":
        return worker_message, None
    if worker_message.failure is not None:
        return worker_message, worker_message.failure
    if worker_message.result is None:
        raise MessageError
    measured = worker_message.result.measured.get_measured()
    if "validation" in arrays:
        optional_arrays = arrays.get("test"), arrays.get("selection")
        return worker_message, TrialOutcome(
            arrays["validation"], *optional_arrays, note=worker_message.result.note, **measured
        )
    numbered = [arrays.get(str(number)) for number in range(len(arrays))]
    predictions = tuple(each for each in numbered if each is not None)
    if len(predictions) < len(arrays):
        raise MessageError
    return worker_message, RefitResult(predictions, **measured)
