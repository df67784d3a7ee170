"""Names and labels of every kind go through the exported estimator, its check and every format."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.distinct import DistinctCells
from studio.data.labels import sort_labels
from studio.data.numbers import NumberFormat
from studio.document.store import Document
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import REGISTRY
from studio.export.preprocessing import RawColumn, make_matrix_transformer
from studio.export.verified import READ_ROWS_CODE, write_rows
from studio.runs.settings import RunSettings, TableSource
from tests.export.conftest import execute_run

pytestmark = pytest.mark.slow

TEXTS = (
    "&amp;", "&lt;b&gt;", "<script>", "**b**", "# h", "[a](b)", "`c`", "| x |", "- a", "* b",
    "None", "none", "nan", "NaT", "NULL", "True", "false", "TRUE", "1", "01", "1.5", "1e5", "1e40",
    "inf", "Infinity", "-inf", "1_0", "0x10", "1,5", "1 000", "2020-01-01", "2019", "+", "-",
    "=1+1", "@x", "'", '"', "a\nb", "a\r\nb", " a ", "\t", "\u200b", "\u2028", "🙂", "表", "é",
    "e\u0301", "\\", "\\n", "/", "{0}", "{}", "%s", "$x$", "index", "(1, 2)", "ß", "ı", "١٢",
    "½", "x" * 3000,
)  # fmt: skip

texts = st.sampled_from(TEXTS) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=6
)


def _labels(cells: list[str]) -> list[str | None]:
    distinct = DistinctCells.from_cells(np.array(cells, dtype=object))
    return [distinct.labels[code] for code in distinct.codes]


def read_back(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return a frame as read by an export's fresh process."""
    room: dict[str, object] = {}
    write_rows(frame, folder / "rows.json")
    exec(READ_ROWS_CODE, room)
    return room["rows_of"](folder / "rows.json")  # type: ignore[operator,no-any-return]


@given(
    names=st.lists(texts, min_size=1, max_size=3, unique=True),
    data=st.data(),
    number_format=st.sampled_from([NumberFormat(), NumberFormat(",", "."), NumberFormat(".", ",")]),
)
@settings(max_examples=60, deadline=None)
def test_categories_have_equal_codes_in_estimator_and_check(
    tmp_path_factory: pytest.TempPathFactory, names, data, number_format
) -> None:
    columns = {name: data.draw(st.lists(texts, min_size=4, max_size=4)) for name in names}
    labels = {name: _labels(cells) for name, cells in columns.items()}
    categories = {
        name: sort_labels(each for each in labels[name] if each is not None) for name in names
    }
    raw = [
        RawColumn(name, categories=categories[name], number_format=number_format) for name in names
    ]
    frame = pd.DataFrame(
        {name: [None if la is None else c for c, la in zip(cells, labels[name], strict=True)]
         for name, cells in columns.items()},
        dtype=object,
    )  # fmt: skip
    matrix = make_matrix_transformer(raw, frame)
    expected = np.array(
        [
            [np.nan if la is None else categories[name].index(la) for la in labels[name]]
            for name in names
        ]
    ).T
    np.testing.assert_array_equal(matrix.transform(frame), expected)
    restored = read_back(frame, tmp_path_factory.mktemp("rows"))
    np.testing.assert_array_equal(matrix.transform(restored), expected)


def test_numbers_are_passed_to_fresh_process_exactly(tmp_path: Path) -> None:
    frame = pd.DataFrame({"2019": [0.1 + 0.2, np.nan], "2020-01-01": [1e300, -5e-324]})
    restored = read_back(frame, tmp_path)
    assert list(restored.columns) == ["2019", "2020-01-01"]
    np.testing.assert_array_equal(restored.to_numpy(), frame.to_numpy())


NAMES = {
    "numbers": (["2019", "2020"], ["&amp;", "inf", "-inf", "1e40"], ["1.5", "+", "-"]),
    "marks": (
        ["&amp;", "None", "a\r\nb", "'\"\\"],
        ["<b>", "# h", "`c`", "none", "True", "- a"],
        ["=1+1", "@x", "[a](b)", "x" * 500, "表🙂"],
    ),
}


@pytest.fixture(scope="module", params=NAMES)
def run_with_unusual_names(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int, set[str]]:
    """Return a run with unusual column names and cells."""
    names, cell_texts, classes = NAMES[request.param]
    folder = tmp_path_factory.mktemp("named")
    rng = np.random.default_rng(1)
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "target"])
        for row in range(60):
            cells = [cell_texts[(row + index) % len(cell_texts)] for index in range(len(names))]
            noisy = rng.random() < 0.2
            writer.writerow([*cells, classes[(row % len(cell_texts) + noisy) % len(classes)]])
    source = TableSource(
        path=str(folder / "t.csv"),
        target="target",
        roles={" ".join(name.split()): "feature" for name in names},
        kinds={" ".join(name.split()): "category" for name in names} | {"target": "category"},
    )
    settings = RunSettings(method="EO-sqm", budget=3, workers=1, source=source)
    return *execute_run(folder / "m.studio", settings), set(classes)


@pytest.mark.parametrize("key", [each.key for each in REGISTRY])
def test_every_format_supports_unusual_names(
    run_with_unusual_names: tuple[Path, int, set[str]], key: str, tmp_path: Path
) -> None:
    part = next(each for each in REGISTRY if each.key == key)
    path = tmp_path / f"out{part.suffix}"
    if part.missing_dependency:
        pytest.skip(part.missing_dependency)
    with Document.open(run_with_unusual_names[0]) as document:
        part.write(ExportJob(document, run_with_unusual_names[1], path))
    assert path.exists()
    about = path.with_name(f"{path.name}.json")
    if key == "pickle":
        assert (
            set(map(str, json.loads(about.read_text("utf-8"))["classes"]))
            == run_with_unusual_names[2]
        )
