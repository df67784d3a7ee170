"""Group 5: targets and rows: one class, rare classes, few rows, more columns than rows."""

from random import Random

from torture.grid import Grid


def _one_class(grid: Grid, rng: Random) -> None:
    grid.set_column(grid.target, [rng.choice(("yes", "0", "1.5", ""))] * len(grid.rows))


def _class_with_one_row(grid: Grid, rng: Random) -> None:
    cells = [rng.choice("ab") for _ in grid.rows]
    for label in range(rng.choice((1, 2, 10))):
        cells[rng.randrange(len(cells))] = f"rare {label}"
    grid.set_column(grid.target, cells)


def _many_classes(grid: Grid, rng: Random) -> None:
    many = rng.choice((20, 200, 1000))
    _more_rows(grid, rng, many * 2)
    grid.set_column(grid.target, [f"class {rng.randrange(many)}" for _ in grid.rows])
    # A target with this many distinct values must be declared as classes.
    grid.options += ["--task", "multiclass"]


def _rare_class(grid: Grid, rng: Random) -> None:
    _more_rows(grid, rng, 2000)
    rare = set(rng.sample(range(len(grid.rows)), rng.choice((1, 2, 5))))
    cells = ["rare" if row in rare else "usual" for row in range(len(grid.rows))]
    grid.set_column(grid.target, cells)


def _few_rows(grid: Grid, rng: Random) -> None:
    grid.rows = grid.rows[: rng.choice((0, 1, 2, 3, 4, 5, 8, 12))]


def _more_columns_than_rows(grid: Grid, rng: Random) -> None:
    grid.rows = grid.rows[: rng.choice((10, 30))]
    for number in range(rng.choice((100, 400))):
        grid.add_column(f"x{number}", [f"{rng.random():.3f}" for _ in grid.rows])


def _missing_targets(grid: Grid, rng: Random) -> None:
    share, word = rng.choice((0.02, 0.5, 0.95, 1.0)), rng.choice(("", "NA", "nan", "?"))
    cells = grid.column(grid.target)
    grid.set_column(grid.target, [word if rng.random() < share else cell for cell in cells])
    # Rows without a target are not used for training, but are predicted.


def _unknown_target(grid: Grid, rng: Random) -> None:
    grid.options += ["--target", rng.choice(("no such", "", "TARGET", "\x1b[2J", "x" * 5000, "-"))]


def _only_the_target(grid: Grid, rng: Random) -> None:
    grid.header = [grid.header[grid.target]]
    grid.rows = [[row[grid.target]] for row in grid.rows]
    grid.target = 0
    grid.exact = False  # an empty line may be a row of one column, or none


def _infinite_targets(grid: Grid, rng: Random) -> None:
    strange = rng.choice(("inf", "-inf", "1e308", "1e-320", "nan"))
    share = rng.choice((0.02, 0.3))
    cells = [strange if rng.random() < share else f"{rng.random():.6f}" for _ in grid.rows]
    grid.set_column(grid.target, cells)


def _another_task(grid: Grid, rng: Random) -> None:
    grid.options += ["--task", rng.choice(("binary", "multiclass", "regression"))]


def _another_split(grid: Grid, rng: Random) -> None:
    split = ("60/20/20", "0/50/50", "98/1/1", "100/0/0", "-1/50/51", "nan/1/1", "a/b/c", "DivBO",
             "SMBEO", "EO", "thesis3", "thesis5", "1e9/1/1", "50/50")  # fmt: skip
    grid.options += rng.choice(
        (["--folds", str(rng.choice((-1, 0, 1, 2, 10, 1000)))], ["--split", rng.choice(split)])
    )


def _strange_numbers_in_settings(grid: Grid, rng: Random) -> None:
    names = ("--cap", "--seconds", "--trial-seconds", "--trial-memory", "--seed", "--workers")
    values = ("0", "-1", "1e9", "nan", "inf", "1", "99999999999999999999", "abc", "")
    grid.options += [rng.choice(names), rng.choice(values)]


def _another_metric(grid: Grid, rng: Random) -> None:
    metrics = (
        "error",
        "balanced-error",
        "auc",
        "f1-macro",
        "log-loss",
        "brier",
        "rmse",
        "mae",
        "r2",
        "?",
    )
    grid.options += ["--metric", rng.choice(metrics)]


def _balanced_classes(grid: Grid, rng: Random) -> None:
    grid.options += ["--class-weights", "balanced"]


def _equal_rows(grid: Grid, rng: Random) -> None:
    row = grid.rows[0]
    grid.rows = [[*row[:-1], each[-1]] for each in grid.rows]


def _more_rows(grid: Grid, rng: Random, wanted: int) -> None:
    while len(grid.rows) < wanted:
        grid.rows.append(list(rng.choice(grid.rows)) if grid.rows else ["1"] * len(grid.header))


DAMAGES = (
    _one_class,
    _class_with_one_row,
    _many_classes,
    _rare_class,
    _few_rows,
    _more_columns_than_rows,
    _missing_targets,
    _unknown_target,
    _only_the_target,
    _infinite_targets,
    _another_task,
    _another_split,
    _strange_numbers_in_settings,
    _another_metric,
    _balanced_classes,
    _equal_rows,
)
