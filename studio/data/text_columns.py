"""A column of text, with a column of weights for each of its words and pairs of words."""

import dataclasses
from collections.abc import Container

from studio.data.column import Column
from studio.data.date_columns import free_name
from studio.data.distinct import Distinct
from studio.data.terms import Terms
from studio.errors import DataError


def split_text(
    name: str,
    cells: Distinct,
    aliases: tuple[str, ...],
    taken: Container[str],
) -> list[Column]:
    """Return the column itself, which models do not see, and one for each of its terms.

    A text that is missing has no terms.

    Args:
        name: The column's name in the file; a term's is ``name: term``.
        cells: Its cells.
        aliases: Other names under which pandas would show it.
        taken: Names of other columns.

    Raises:
        DataError: If it has no terms.
    """
    own = dataclasses.replace(Column.from_cells(name, "category", "ignore", cells), aliases=aliases)
    terms = Terms.of(cells.filled_texts, cells.counts)
    if not terms.words:
        raise DataError(
            "{name!r} cannot be a column of text: no word is in several of its cells and not in "
            "all. Undo that choice.",
            name=name,
        )
    return [
        own,
        *(
            Column(
                free_name(f"{name}: {word}", taken),
                "number",
                "feature",
                cells.weights(terms.part(place))[cells.codes],
                # Under these names the column is found in another table.
                aliases=(*aliases, name),
                missing_words=cells.missing_words,
                term=terms.part(place),
            )
            for place, word in enumerate(terms.words)
        ),
    ]
