"""Group 2: text forms of tables: separators, quotes, ragged rows, names."""

import csv
from random import Random

from torture.grid import Grid

NAMES = (
    "", " ", "a/b", 'say "so"', "[x]", "{x}", "a:b", "a,b", "a;b", "a=b", "owl 🦉", "مرحبا",
    "\u202eevil", "<script>alert(1)</script>", "=HYPERLINK(\"http://x\")", "x" * 10_000, "\\", "'",
    "target", "Unnamed: 0", "index", "a\nb", "a\tb", "%s", "{0}", "$x^2$", "#", "None", "nan", "1",
    "../../etc/passwd", "\x1b[31m", "ﬁ", "İ", "ß", "e\u0301", "__class__", "&amp;", "_", "*a*",
)  # fmt: skip


def _another_separator(grid: Grid, rng: Random) -> None:
    grid.separator = rng.choice(";\t| :^~")


def _decimal_commas(grid: Grid, rng: Random) -> None:
    grid.separator = ";"
    grid.rows = [[_comma(cell) for cell in row] for row in grid.rows]


def _thousands(grid: Grid, rng: Random) -> None:
    point, mark = rng.choice(((",", "."), (".", ","), (".", " "), (",", "'"), (".", "\u202f")))
    grid.separator = ";"
    cells = [f"{rng.uniform(1000, 9e6):,.2f}" for _ in grid.rows]
    table = str.maketrans({",": mark, ".": point})
    grid.set_column(grid.feature(rng), [cell.translate(table) for cell in cells])


def _separator_line(grid: Grid, rng: Random) -> None:
    named = rng.choice(("sep=;", "sep=,", "sep=\t", '"sep=;"', "SEP=;", "sep=", "sep=ab"))
    grid.texts.append(lambda text: f"{named}\n{text}")
    grid.exact = False


def _wrong_separator_option(grid: Grid, rng: Random) -> None:
    grid.options += ["--sep", rng.choice((";", "tab", "|", "ab", "", '"', "\n", "x", "é", "5"))]
    grid.exact = False


def _wrong_decimal_option(grid: Grid, rng: Random) -> None:
    grid.options += ["--decimal", rng.choice((",", ".", ";"))]


def _ragged_rows(grid: Grid, rng: Random) -> None:
    seed, n_lines = rng.random(), rng.choice((1, 5, 30))

    def tear(text: str) -> str:
        draw, lines = Random(seed), text.split("\n")
        for _ in range(n_lines):
            position = draw.randrange(len(lines))
            if draw.random() < 0.5:
                lines[position] = lines[position].rpartition(grid.separator)[0]
            else:
                lines[position] += f"{grid.separator}more" * draw.choice((1, 3, 300))
        return "\n".join(lines)

    grid.texts.append(tear)
    grid.exact = False


def _unclosed_quotes(grid: Grid, rng: Random) -> None:
    position_share, mark = rng.random(), rng.choice("\"'")
    grid.texts.append(lambda text: _put(text, position_share, mark))
    grid.exact = False


def _quotes_everywhere(grid: Grid, rng: Random) -> None:
    grid.quote = rng.choice((csv.QUOTE_ALL, csv.QUOTE_NONE))
    column = grid.feature(rng)
    texts = ('say "so"', "it's", '"', '""', "a")
    grid.set_column(column, [rng.choice(texts) for _ in grid.rows])
    grid.exact &= grid.quote == csv.QUOTE_ALL


def _newlines_in_cells(grid: Grid, rng: Random) -> None:
    end, column = rng.choice(("\n", "\r\n", "\r", "\n\n", "\u2028")), grid.feature(rng)
    grid.set_column(column, [f"line{end}{rng.randint(1, 3)}" for _ in grid.rows])


def _other_line_ends(grid: Grid, rng: Random) -> None:
    grid.newline = rng.choice(("\r", "\r\n", "\n\r", "\n\n", "\r\r\n", "\x0b", "\u2028", "\x1e"))
    grid.exact = False


def _strange_names(grid: Grid, rng: Random) -> None:
    for column in range(len(grid.header)):
        if column != grid.target and rng.random() < 0.6:
            grid.header[column] = rng.choice(NAMES)


def _strange_target(grid: Grid, rng: Random) -> None:
    grid.header[grid.target] = name = rng.choice(NAMES)
    grid.options += ["--target", name]


def _similar_names(grid: Grid, rng: Random) -> None:
    grid.header = [rng.choice(("a", "A", "a ", "a.1", "target")) for _ in grid.header]


def _no_names(grid: Grid, rng: Random) -> None:
    grid.named, grid.exact = False, False


def _lines_around_table(grid: Grid, rng: Random) -> None:
    prefix = rng.choice(("# a comment\n", "Report of 2024\n\n", "\n\n\n", ",,,,\n", "%%\n"))
    suffix = rng.choice(("", "\n\n\n", "Total,1,2\n", "\x1a", "(80 rows)\n"))
    grid.texts.append(lambda text: prefix + text + suffix)
    grid.exact = False


def _unusual_labels(grid: Grid, rng: Random) -> None:
    labels = rng.sample(NAMES[2:], rng.randint(2, 5))
    grid.set_column(grid.target, [rng.choice(labels) for _ in grid.rows])
    grid.exact = False  # rows are dropped if their label is read as a missing value


def _column_roles(grid: Grid, rng: Random) -> None:
    roles = ("feature", "target", "ignore", "group", "time", "weight", "king", "")
    kinds = ("number", "category", "date", "")
    for name in rng.sample([*grid.header, "no such"], min(2, len(grid.header))):
        grid.options += ["--role", f"{name}={rng.choice(roles)}"]
        grid.options += ["--kind", f"{rng.choice([name, ''])}={rng.choice(kinds)}"]


def _comma(cell: str) -> str:
    return cell.replace(".", ",") if cell.replace(".", "").lstrip("-").isdigit() else cell


def _put(text: str, position_share: float, mark: str) -> str:
    at = int(len(text) * position_share)
    return text[:at] + mark + text[at:]


DAMAGES = (
    _another_separator,
    _decimal_commas,
    _thousands,
    _separator_line,
    _wrong_separator_option,
    _wrong_decimal_option,
    _ragged_rows,
    _unclosed_quotes,
    _quotes_everywhere,
    _newlines_in_cells,
    _other_line_ends,
    _strange_names,
    _strange_target,
    _similar_names,
    _no_names,
    _lines_around_table,
    _unusual_labels,
    _column_roles,
)
