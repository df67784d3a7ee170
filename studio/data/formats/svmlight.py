"""LIBSVM and SVMlight files, read by scikit-learn: a label, then the non-zero cells."""

import io
import re

import numpy as np

from studio.arrays import AnyArray
from studio.data import dialect
from studio.data.allowance import Allowance
from studio.data.coded import CodedColumn
from studio.data.formats.base import RawGrid, TextFormat, format_cell
from studio.data.texts import Texts
from studio.errors import DataError
from studio.phrases import phrase

_SAMPLE_LINES = 20
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_LINE = re.compile(rf"{_NUMBER}(?:,{_NUMBER})*(?: qid:[0-9]+)?((?: [0-9]+:{_NUMBER})*) ?(?:\#.*)?")
_CLOCK = re.compile("[0-9]{1,2}:[0-9]{2}")
_MIN_PAIRS = 3


class Svmlight(TextFormat):
    """Columns are named by their indices; the first one is the target."""

    def recognises(self, text: str) -> bool:
        """Whether the first lines are a number followed by ascending pairs such as 3:0.5."""
        index_rows: list[list[int]] = []
        clocks = True
        for line in dialect.sample_lines(text, 0, 10 * _SAMPLE_LINES):
            normalised = " ".join(line.split())
            if not normalised or normalised.startswith("#"):
                continue
            match = _LINE.fullmatch(normalised)
            if match is None:
                return False
            clocks &= all(map(_CLOCK.fullmatch, match[1].split()))
            index_rows.append([int(pair.partition(":")[0]) for pair in match[1].split()])
            if len(index_rows) == _SAMPLE_LINES:
                break
        if not index_rows or any(row != sorted(set(row)) for row in index_rows):
            return False
        if not clocks:
            return True
        # A number and a time of day ("5 10:30") look alike, but not line by line.
        n_long = sum(len(row) >= _MIN_PAIRS for row in index_rows)
        return 2 * n_long >= len(index_rows) or (
            bool(index_rows[0]) and all(r == index_rows[0] for r in index_rows)
        )

    def read(self, text: str, name: str, max_rows: int | None) -> RawGrid:
        """Read all rows; absent cells are 0."""
        from sklearn.datasets import load_svmlight_file

        try:
            X, y, groups = load_svmlight_file(io.BytesIO(text.encode()), query_id=True)
        except (ValueError, OverflowError) as error:
            raise DataError(
                "{name!r} looks like a LIBSVM file, but it cannot be read ({error}). Each line "
                "must be one label and then pairs such as 3:0.5, in ascending order.",
                name=name,
                error=error,
            ) from error
        n_rows, width = X.shape
        n_rows = n_rows if max_rows is None else min(n_rows, max_rows)
        allowance = Allowance(name)
        allowance.check(n_rows, width)
        allowance.reserve(n_rows, width + 2)
        sparse = X[:n_rows].tocsc()
        columns = [_encode_numbers(y[:n_rows])]
        header = ["target"]
        if len(groups):
            columns.append(_encode_numbers(groups[:n_rows]))
            header.append("qid")
        columns += [_encode_numbers(sparse[:, i].toarray().ravel()) for i in range(width)]
        first = 0 if _begins_with_zero(text) else 1
        return RawGrid(
            header=(*header, *(str(i + first) for i in range(width))),
            columns=tuple(columns),
            evidence={
                "sheet": phrase(
                    "A LIBSVM file: the first number of each line is the target, and columns are "
                    "named by their numbers."
                )
            },
        )


def _begins_with_zero(text: str) -> bool:
    return re.search(r"^[^#\n]*?\s0:", text, re.MULTILINE) is not None


def _encode_numbers(values: AnyArray) -> CodedColumn:
    """Format numbers, (n,)."""
    import pandas as pd

    codes, distinct = pd.factorize(values)
    texts = Texts.of([format_cell(value) for value in distinct.tolist()])
    return CodedColumn(codes.astype(np.int32), texts)
