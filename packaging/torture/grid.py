"""A valid table and its mutations."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from random import Random

Damage = Callable[["Grid", Random], None]
"""A hostile change of a table."""


@dataclass
class Grid:
    """A table to be mutated and written.

    Attributes:
        target: Index of the target column.
        separator, quote, newline, encoding: How it is written.
        named: Whether the first line contains names.
        suffix: Of the file's name.
        texts, octets: Changes of the text and of the bytes, in this order.
        options: Further arguments of the command.
        exact: Whether the number of rows is still known.
        done: The changes made.
    """

    header: list[str]
    rows: list[list[str]]
    target: int
    separator: str = ","
    quote: int = csv.QUOTE_MINIMAL
    newline: str = "\n"
    encoding: str = "utf-8"
    named: bool = True
    suffix: str = ".csv"
    texts: list[Callable[[str], str]] = field(default_factory=list)
    octets: list[Callable[[bytes], bytes]] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    exact: bool = True
    done: list[str] = field(default_factory=list)

    def copy(self) -> "Grid":
        """Return a copy of the table."""
        return replace(self, header=list(self.header), rows=[list(row) for row in self.rows],
                       texts=[], octets=[], options=[], done=[])  # fmt: skip

    def column(self, position: int) -> list[str]:
        """Return a column's cells."""
        return [row[position] for row in self.rows]

    def set_column(self, position: int, cells: list[str]) -> None:
        """Replace the cells of a column."""
        for row, cell in zip(self.rows, cells, strict=True):
            row[position] = cell

    def add_column(self, name: str, cells: list[str]) -> None:
        """Append a column."""
        self.header.append(name)
        for row, cell in zip(self.rows, cells, strict=True):
            row.append(cell)

    def feature(self, rng: Random) -> int:
        """Return the index of a feature column (0 if there is none)."""
        others = [each for each in range(len(self.header)) if each != self.target]
        return rng.choice(others or [0])

    def damaged(self, damages: list[Damage], rng: Random) -> None:
        """Apply several mutations to the table while it has rows."""
        for damage in damages:
            if not self.rows:
                return
            self.done.append(damage.__name__.strip("_").replace("_", " "))
            damage(self, rng)

    def write(self, folder: Path) -> Path:
        """Write the table; return the file."""
        text = io.StringIO(newline="")
        writer = csv.writer(
            text,
            delimiter=self.separator,
            quoting=self.quote,  # type: ignore[arg-type]
            lineterminator=self.newline,
            escapechar="\\" if self.quote == csv.QUOTE_NONE else None,
        )
        writer.writerows([self.header, *self.rows] if self.named else self.rows)
        whole = text.getvalue()
        for change in self.texts:
            whole = change(whole)
        octets = whole.encode(self.encoding, errors="replace")
        for alter in self.octets:
            octets = alter(octets)
        path = folder / f"table{self.suffix}"
        path.write_bytes(octets)
        return path


def sound_table(rng: Random, rows: int | None = None) -> Grid:
    """Return a table supported by every part of the program.

    Numbers, a category, a date and missing cells; two or three classes, or a number, to predict.
    """
    n_rows, classes = rows or rng.randint(40, 90), rng.choice((0, 2, 3))
    header = ["height", "weight", "colour", "day", "target"]
    body = []
    for _ in range(n_rows):
        height, weight = rng.gauss(0, 1), rng.gauss(50, 20)
        number = height + weight / 20
        label = f"{number:.3f}" if not classes else "nyz"[int(number * 2) % classes]
        day = date(2020, 1, 1) + timedelta(days=rng.randint(0, 900))
        colour = rng.choice(("red", "green", "blue", ""))
        body.append([f"{height:.4f}", f"{weight:.2f}", colour, day.isoformat(), label])
    return Grid(header, body, target=4)
