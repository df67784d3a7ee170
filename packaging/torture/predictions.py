"""Group 6: tables to predict: columns gone, new or elsewhere, other locales, unseen categories."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from torture import dialects, encodings, values
from torture.execution import run_inline
from torture.grid import Damage, Grid, sound_table
from torture.tables import QUICK
from torture.verdict import Try, Verdict, check_expected

MODELS = 4


@dataclass
class _Model:
    """A trained document, its table, and its predictions."""

    document: Path
    grid: Grid
    predictions: list[list[str]] = field(default_factory=list)


def predictions(folder: Path) -> Try:
    """Train some ensembles; return the cases with hostile tables."""
    models = [_trained(folder, number) for number in range(MODELS)]
    return partial(_attempt, models)


def _trained(folder: Path, number: int) -> _Model:
    place = folder / str(number)
    place.mkdir()
    grid = sound_table(Random(f"model {number}"), rows=60)
    model = _Model(place / "model.studio", grid)
    table = grid.write(place)
    refit = "--refit" if number % 2 else "--no-refit"
    ran, printed = run_inline("training", "run", table, "-o", model.document, *QUICK, refit)
    assert ran.kind == "unharmed", printed
    out = place / "out.csv"
    run_inline("predicting", "predict", model.document, table, "-o", out)
    model.predictions = _cells(out)
    return model


def _attempt(models: list[_Model], folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    model = models[number % len(models)]
    grid = model.grid.copy()
    every = (*HARMLESS, *HARMFUL)
    chosen = [every[number % len(every)], *rng.sample(every, rng.choice((0, 1, 2)))]
    same = not set(chosen) & set(HARMFUL)
    grid.damaged(chosen, rng)
    table, out, what = grid.write(folder), folder / "out.csv", ", ".join(grid.done)
    verdict, printed = run_inline(what, "predict", model.document, table, "-o", out, *grid.options)
    if verdict.kind == "unharmed":
        found = _cells(out)
        if same:
            wrong = [*check_expected(f"{what}: predictions", found, model.predictions)]
        elif grid.exact:
            wrong = [*check_expected(f"{what}: rows predicted", len(found), len(grid.rows) + 1)]
        else:
            wrong = []
        noted = Verdict("reported" if "note:" in printed else "unharmed", what)
        verdict = wrong[0] if wrong else noted
    elif same and verdict.kind == "reported":
        verdict = Verdict("fault", what, f"a harmless change was refused: {printed[-300:]}")
    elif out.exists():
        verdict = Verdict("fault", what, "it was refused, and a file was left behind")
    yield verdict


def _cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


# -- changes without effect on predictions


def _reordered_columns(grid: Grid, rng: Random) -> None:
    order = rng.sample(range(len(grid.header)), len(grid.header))
    grid.header = [grid.header[each] for each in order]
    grid.rows = [[row[each] for each in order] for row in grid.rows]


def _additional_columns(grid: Grid, rng: Random) -> None:
    for number in range(rng.choice((1, 3, 100))):
        grid.add_column(f"more {number}", [rng.choice(("x", "1", "")) for _ in grid.rows])


def _no_target(grid: Grid, rng: Random) -> None:
    if "target" in grid.header:
        _without(grid, grid.header.index("target"))


def _hostile_target(grid: Grid, rng: Random) -> None:
    if "target" in grid.header:
        where = grid.header.index("target")
        grid.set_column(where, [rng.choice(("?", "new", "1e999", "")) for _ in grid.rows])


def _line_ends(grid: Grid, rng: Random) -> None:
    grid.newline = rng.choice(("\r\n", "\r"))


def _quotes(grid: Grid, rng: Random) -> None:
    grid.quote = csv.QUOTE_ALL


def _byte_order_mark(grid: Grid, rng: Random) -> None:
    grid.encoding = rng.choice(("utf-8-sig", "utf-16"))


# -- changes that may affect predictions, or be rejected


def _missing_columns(grid: Grid, rng: Random) -> None:
    for _ in range(rng.randint(1, len(grid.header) - 1)):
        _without(grid, rng.randrange(len(grid.header)))


def _renamed_columns(grid: Grid, rng: Random) -> None:
    change = rng.choice((str.upper, str.title, lambda name: f" {name} ", lambda name: f"{name}_1"))
    grid.header = [change(name) if rng.random() < 0.5 else name for name in grid.header]


def _duplicate_column(grid: Grid, rng: Random) -> None:
    where = rng.randrange(len(grid.header))
    grid.add_column(grid.header[where], list(reversed(grid.column(where))))


def _unseen_categories(grid: Grid, rng: Random) -> None:
    words = ("violet", "RED", " red", "1", "нет", "=1+1", "x" * 10_000, "red\nblue")
    grid.set_column(grid.feature(rng), [rng.choice(words) for _ in grid.rows])


def _another_locale(grid: Grid, rng: Random) -> None:
    dialects._decimal_commas(grid, rng)
    if rng.random() < 0.5:
        grid.options += ["--decimal", rng.choice((",", "."))]
    for row in grid.rows:
        for where, cell in enumerate(row):
            if cell.startswith("202") and cell.count("-") == 2:
                row[where] = ".".join(reversed(cell.split("-")))


def _few_rows(grid: Grid, rng: Random) -> None:
    grid.rows = grid.rows[: rng.choice((0, 1, 2))]


def _many_rows(grid: Grid, rng: Random) -> None:
    grid.rows = [list(row) for row in grid.rows * rng.choice((10, 100))]


def _other_options(grid: Grid, rng: Random) -> None:
    given = ("--with-rows", "--for-spreadsheet", "--json", "--run 7", "--run -1", "--sheet x",
             "--sep tab", "--encoding utf-16", "--json --progress")  # fmt: skip
    grid.options += rng.choice(given).split()
    grid.exact = False


def _without(grid: Grid, where: int) -> None:
    if len(grid.header) > 1:
        del grid.header[where]
        for row in grid.rows:
            del row[where]


HARMLESS: tuple[Damage, ...] = (
    _reordered_columns, _additional_columns, _no_target, _hostile_target, _line_ends, _quotes,
    _byte_order_mark,
)  # fmt: skip
HARMFUL: tuple[Damage, ...] = (
    _missing_columns, _renamed_columns, _duplicate_column, _unseen_categories, _another_locale,
    _few_rows, _many_rows, _other_options,
    dialects._ragged_rows, dialects._unclosed_quotes, dialects._no_names,
    dialects._lines_around_table, dialects._newlines_in_cells,
    encodings._not_a_table, encodings._nearly_empty_table, encodings._cut_short,
    encodings._flipped_bytes,
    values._extreme_numbers, values._only_extreme_numbers, values._mixed_types,
    values._all_missing, values._dates, values._long_texts, values._empty_cells_everywhere,
)  # fmt: skip
