"""Group 4: values: infinite, huge, mixed, missing, constant, copied, leaking."""

from random import Random

from torture.grid import Grid

EXTREME = (
    "inf", "-inf", "Infinity", "nan", "1e308", "-1e308", "1e400", "5e-324", "-0", "1e-400",
    "9007199254740993", "123456789012345678901234567890", "0x1F", "1_000", "١٢٣", "½", "1e", "--1",
    "+5", "1.2.3", "1,5", "TRUE", "#DIV/0!", "=1+1", "-", "?", "NA", "N/A", "null", "\\N", " ", ".",
)  # fmt: skip


def _extreme_numbers(grid: Grid, rng: Random) -> None:
    where, share = grid.feature(rng), rng.choice((0.02, 0.3, 1.0))
    _scatter(grid, where, rng, share, EXTREME)


def _only_extreme_numbers(grid: Grid, rng: Random) -> None:
    numbers = ("1e308", "-1e308", "1e-300", "1.7976931348623157e308", "0", "5e-324")
    grid.set_column(grid.feature(rng), [rng.choice(numbers) for _ in grid.rows])


def _large_offset(grid: Grid, rng: Random) -> None:
    offset = rng.choice((1e9, 1e15, 2.0**53, 1e300))
    cells = [repr(offset + rng.random()) for _ in grid.rows]
    grid.set_column(rng.choice((grid.target, grid.feature(rng))), cells)


def _leading_zeros(grid: Grid, rng: Random) -> None:
    grid.set_column(grid.feature(rng), [f"{rng.randint(0, 99999):08d}" for _ in grid.rows])


def _mixed_types(grid: Grid, rng: Random) -> None:
    mixed = ("1", "2.5", "red", "2024-01-01", "yes", "", "1e5", "12:30", "3 kg", "€5", "50 %")
    grid.set_column(grid.feature(rng), [rng.choice(mixed) for _ in grid.rows])


def _all_missing(grid: Grid, rng: Random) -> None:
    words = rng.choice((("",), ("NA",), ("", "NA", "nan", "-", "?"), (" ",)))
    for _ in range(rng.choice((1, 1, 4))):
        grid.set_column(grid.feature(rng), [rng.choice(words) for _ in grid.rows])


def _constant(grid: Grid, rng: Random) -> None:
    cell = rng.choice(("0", "x", "1e308", "2024-01-01"))
    for _ in range(rng.choice((1, 4))):
        grid.set_column(grid.feature(rng), [cell] * len(grid.rows))


def _identifiers(grid: Grid, rng: Random) -> None:
    form = rng.choice(("{}", "id-{}", "{:032x}", "user{}@example.org"))
    grid.add_column("id", [form.format(each) for each in range(len(grid.rows))])


def _duplicate_columns(grid: Grid, rng: Random) -> None:
    where = grid.feature(rng)
    for number in range(rng.choice((1, 30))):
        grid.add_column(f"twin {number}", grid.column(where))


def _leak(grid: Grid, rng: Random) -> None:
    noise = rng.choice(("", "!"))
    grid.add_column("leak", [cell + noise for cell in grid.column(grid.target)])


def _dates(grid: Grid, rng: Random) -> None:
    forms = ("2024-02-30", "0000-00-00", "31/12/99", "12/31/99", "9999-12-31", "0001-01-01",
             "2024-01-01T25:00", "1700000000", "2024-W05", "29.02.2023",
             "2024-01-01 00:00:00+99:00")  # fmt: skip
    where = grid.header.index("day") if "day" in grid.header else grid.feature(rng)
    _scatter(grid, where, rng, rng.choice((0.05, 1.0)), forms)


def _long_texts(grid: Grid, rng: Random) -> None:
    length = rng.choice((1000, 100_000))
    grid.set_column(grid.feature(rng), [rng.choice("ab") * length for _ in grid.rows])


def _many_categories(grid: Grid, rng: Random) -> None:
    grid.set_column(grid.feature(rng), [f"c{rng.randrange(10**6)}" for _ in grid.rows])


def _weights(grid: Grid, rng: Random) -> None:
    strange = rng.choice(("0", "-1", "inf", "nan", "1e308", "1e-308", "", "heavy"))
    share = rng.choice((0.0, 0.05, 1.0))
    cells = [strange if rng.random() < share else f"{rng.random():.3f}" for _ in grid.rows]
    grid.add_column("mass", cells)
    grid.options += ["--role", "mass=weight"]


def _groups_or_times(grid: Grid, rng: Random) -> None:
    many = rng.choice((1, 2, 10, 10**6))
    grid.add_column("which", [rng.choice((str(rng.randrange(many)), "")) for _ in grid.rows])
    grid.options += ["--role", f"which={rng.choice(('group', 'time'))}"]


def _empty_cells_everywhere(grid: Grid, rng: Random) -> None:
    for where in range(len(grid.header)):
        if where != grid.target:
            _scatter(grid, where, rng, rng.choice((0.5, 0.95)), ("",))


def _scatter(grid: Grid, where: int, rng: Random, share: float, words: tuple[str, ...]) -> None:
    cells = grid.column(where)
    grid.set_column(where, [rng.choice(words) if rng.random() < share else c for c in cells])


DAMAGES = (
    _extreme_numbers,
    _only_extreme_numbers,
    _large_offset,
    _leading_zeros,
    _mixed_types,
    _all_missing,
    _constant,
    _identifiers,
    _duplicate_columns,
    _leak,
    _dates,
    _long_texts,
    _many_categories,
    _weights,
    _groups_or_times,
    _empty_cells_everywhere,
)
