"""The text of the script, piece by piece, with nothing that this run does not need."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio import __version__
from studio.data.column import Column
from studio.data.dates import ORDERS, SHORT_ORDERS, DatePart, pattern
from studio.data.numbers import LIMIT
from studio.document.decision import Decision
from studio.ensembles.base import Ensemble
from studio.export.literals import quoted
from studio.export.script import pieces
from studio.export.script.code import Call, Coder, Node, rendered


@dataclass(frozen=True)
class ScriptRecipe:
    """What a script is written from.

    Attributes
    ----------
    source : str
        The name of the file with the rows.
    file_kind : str
        "csv", "excel" or "parquet".
    reading : dict
        Arguments of ``pandas.read_csv`` beyond the usual ones.
    header : tuple of str or None
        All column names, where the file has none of its own.
    target : Column
        What is predicted.
    target_name : str
        As pandas shows it.
    classes : tuple
        By code; empty for regression.
    features : tuple of (str, Column)
        As pandas shows them, in the order of the matrix.
    weight : str
        The column of row weights; empty for none.
    ensemble : Ensemble
        Members, weights and what combines them.
    decision : Decision or None
        How labels are decided, where not as the ensemble has them.
    models : tuple
        The members, fitted or not.
    comments : tuple of str
        A line about each member.
    balanced, weighted : tuple of bool
        Whether a member's classes weigh the same at its fit; whether its fit takes weights.
    rows_file : str
        The name of the file that says which rows are for training and for testing.
    headline : tuple of str
        Lines about the run.
    packages : tuple of str
        What to install: "scikit-learn==1.9.1".
    name : str
        The script's own file name.
    """

    source: str
    file_kind: str
    reading: dict[str, str]
    header: tuple[str, ...] | None
    target: Column
    target_name: str
    classes: tuple[str | int, ...]
    features: tuple[tuple[str, Column], ...]
    weight: str
    ensemble: Ensemble
    decision: Decision | None
    models: tuple[Any, ...]
    comments: tuple[str, ...]
    balanced: tuple[bool, ...]
    weighted: tuple[bool, ...]
    rows_file: str
    headline: tuple[str, ...]
    packages: tuple[str, ...]
    name: str


def script(recipe: ScriptRecipe) -> str:
    """Return the whole script."""
    numbers, categories = _places(recipe, "number"), _places(recipe, "category")
    coder = Coder({tuple(numbers): "NUMBERS", tuple(categories): "CATEGORIES"})
    members, preparations = _members(recipe, coder)
    body = [
        _constants(recipe, numbers, categories),
        _reading(recipe),
        _cells(recipe),
        _matrix(recipe, categories),
        pieces.CLASS_CODES if recipe.classes else pieces.VALUES,
        *preparations,
        members,
        _training(recipe),
        _combining(recipe),
        _main(recipe),
    ]
    found = "\n\n\n".join(piece.strip("\n") for piece in body if piece)
    imports = ["import sys", "from pathlib import Path", "", "import numpy as np",
               "import pandas as pd", *coder.import_lines()]  # fmt: skip
    return "\n".join([_docstring(recipe), *imports, "", found]) + "\n"


def _places(recipe: ScriptRecipe, kind: str) -> list[int]:
    return [at for at, (_, column) in enumerate(recipe.features) if column.kind == kind]


def _docstring(recipe: ScriptRecipe) -> str:
    install = " ".join(f'"{each}"' for each in recipe.packages)
    lines = [
        *recipe.headline,
        "",
        f"Written by Ensemble Studio {__version__}; it runs without it:",
        "",
        f"    pip install {install}",
        f"    python {recipe.name} {recipe.source}            # train and test",
        f"    python {recipe.name} {recipe.source} new.csv    # and predict new rows",
    ]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""\n'


def _constants(recipe: ScriptRecipe, numbers: list[int], categories: list[int]) -> str:
    names = [name for name, _ in recipe.features]
    lines = [f"TARGET = {quoted(recipe.target_name)}"]
    if recipe.classes:
        lines.append("CLASSES = " + rendered(_listed(recipe.classes), 0, 10))
    lines.append("FEATURES = " + rendered(_listed(names), 0, 11))
    if recipe.weight:
        lines.append(f"WEIGHT = {quoted(recipe.weight)}")
    lines.append("")
    lines.append("# Columns of the matrix that hold numbers, and codes of categories.")
    lines.append(f"NUMBERS = {_range(numbers)}")
    if categories:
        lines.append(f"CATEGORIES = {_range(categories)}")
    labels = {name: column.categories for name, column in recipe.features
              if column.kind == "category"}  # fmt: skip
    items = tuple((f"{quoted(name)}: ", _listed(each)) for name, each in labels.items())
    if items:
        lines.append("LABELS = " + _dictionary(items))
    dates = _dates(recipe)
    if dates:
        lines += _about_dates(dates, labelled=bool(items))
    lines += _treatments(recipe)
    formats = _formats(recipe)
    if formats:
        lines.append("# How numbers are written: decimal mark, mark between thousands.")
        shown = tuple(
            (f"{quoted(name)}: ", Call("(", (("", quoted(a)), ("", quoted(b))), ")"))
            for name, (a, b) in formats.items()
        )
        lines.append("FORMATS = " + _dictionary(shown))
    layer = recipe.ensemble.layer
    if layer is not None:
        lines.append("# The second level: what it makes of the members' predictions.")
        for constant, value in (
            ("COEFFICIENTS", np.array(layer.coefficients)),
            ("INTERCEPTS", np.array(layer.intercepts)),
        ):
            lines.append(f"{constant} = " + rendered(Coder().node(value), 0, len(constant) + 3))
    if recipe.ensemble.temperature != 1.0:
        lines.append("# Mean probabilities are raised to 1/TEMPERATURE: learned, as weights are.")
        lines.append(f"TEMPERATURE = {recipe.ensemble.temperature!r}")
    if recipe.decision is not None:
        wanted = recipe.classes[recipe.decision.code(recipe.classes)]
        lines.append("# Decided: the class to look for, and from which probability.")
        lines.append(f"LOOKED_FOR = {rendered(Coder().node(wanted), 0)}")
        lines.append(f"THRESHOLD = {recipe.decision.threshold!r}")
    return "\n".join(lines)


def _treatments(recipe: ScriptRecipe) -> list[str]:
    """Return the constants that say what is done with odd values."""
    limits = tuple(
        (f"{quoted(name)}: ", _listed((how.beyond, max(how.low, -LIMIT), min(how.high, LIMIT))))
        for name, column in recipe.features
        if (how := column.limits) is not None
    )
    rare = tuple(
        (f"{quoted(name)}: ", _listed(column.merged))
        for name, column in recipe.features
        if column.merged
    )
    return [
        *(["# Numbers beyond the limits are missing, or set to the limit."] if limits else []),
        *(["LIMITS = " + _dictionary(limits)] if limits else []),
        *(["# Labels that are merged into the last one of their column."] if rare else []),
        *(["RARE = " + _dictionary(rare)] if rare else []),
    ]


def _dictionary(items: tuple[tuple[str, Node], ...]) -> str:
    return rendered(Call("{", items, "}"), 0, 10)


def _listed(values: Sequence[Any]) -> Node:
    return Coder().node(list(values))


def _range(places: list[int]) -> str:
    if len(places) > 3 and places == list(range(places[0], places[-1] + 1)):
        first = f"{places[0]}, " if places[0] else ""
        return f"list(range({first}{places[-1] + 1}))"
    return rendered(_listed(places), 0, 13)


def _dates(recipe: ScriptRecipe) -> dict[str, tuple[str, DatePart]]:
    """Return the file's column of each feature that is a part of dates, and which part."""
    return {
        name: (column.aliases[0], column.date)
        for name, column in recipe.features
        if column.date is not None
    }


def _about_dates(dates: dict[str, tuple[str, DatePart]], *, labelled: bool) -> list[str]:
    """Return the constants that say where dates are and how they are written."""
    shown = tuple(
        (f"{quoted(name)}: ", _listed((source, date.part, date.order)))
        for name, (source, date) in dates.items()
    )
    orders = dict.fromkeys((ORDERS[0], *(date.order for _, date in dates.values())))
    lines = [f"    {quoted(order)}: {quoted(pattern(order))}," for order in orders]
    return [
        *([] if labelled else ["LABELS = {}"]),
        "# Parts of dates: the file's column, the part, how its dates are written.",
        "DATES = " + _dictionary(shown),
        "DATE_PATTERNS = {",
        *lines,
        "}",
    ]


def _formats(recipe: ScriptRecipe) -> dict[str, tuple[str, str]]:
    columns = [*recipe.features, (recipe.target_name, recipe.target)]
    return {
        name: (column.number_format.decimal, column.number_format.thousands)
        for name, column in columns
        if not column.number_format.is_plain and column.date is None
    }


def _reading(recipe: ScriptRecipe) -> str:
    if recipe.file_kind == "excel":
        call = 'pd.read_excel(path, dtype=str, na_values=["?"])'
    elif recipe.file_kind == "parquet":
        call = 'pd.read_parquet(path).astype(object).map(str, na_action="ignore")'
    else:
        given = "".join(f", {name}={quoted(value)}" for name, value in recipe.reading.items())
        if recipe.header is not None:
            given += ", header=None, names=" + rendered(_listed(recipe.header), 4)
        call = f'pd.read_csv(path, dtype=str, na_values=["?"]{given})'
    return pieces.READ_TABLE.replace("CALL", call)


def _cells(recipe: ScriptRecipe) -> str:
    marks = bool(_formats(recipe))
    return (pieces.NUMBER_MARKS if marks else pieces.NUMBER) + (
        ""
        if not recipe.classes
        and not any(
            column.kind == "category" or column.date is not None for _, column in recipe.features
        )
        else pieces.LABEL_MARKS
        if marks
        else pieces.LABEL
    )


def _matrix(recipe: ScriptRecipe, categories: list[int]) -> str:
    piece = _untreated_matrix(recipe, categories)
    columns = [column for _, column in recipe.features]
    limited = any(each.limits is not None for each in columns)
    merged = any(each.merged for each in columns)
    front = (pieces.LIMITED if limited else "") + (pieces.MERGED if merged else "")
    return front + pieces.with_treatments(piece, numbers=limited, labels=merged)


def _untreated_matrix(recipe: ScriptRecipe, categories: list[int]) -> str:
    marks = bool(_formats(recipe))
    if _dates(recipe):
        short = any(date.order in SHORT_ORDERS for _, date in _dates(recipe).values())
        piece = pieces.DATE_PART_SHORT if short else pieces.DATE_PART
        return piece + pieces.with_dates(pieces.MATRIX_MARKS if marks else pieces.MATRIX)
    if not categories:
        return pieces.MATRIX_NUMBERS_MARKS if marks else pieces.MATRIX_NUMBERS
    return pieces.MATRIX_MARKS if marks else pieces.MATRIX


def _members(recipe: ScriptRecipe, coder: Coder) -> tuple[str, list[str]]:
    """Return the function of the members, and those of what comes before them."""
    functions: dict[str, tuple[str, str]] = {}
    items: list[str] = []
    for weight, model, comment, balanced, weighted in zip(
        recipe.ensemble.weights,
        recipe.models,
        recipe.comments,
        recipe.balanced,
        recipe.weighted,
        strict=True,
    ):
        front = coder.node(model.steps[0][1])
        text = rendered(front, 4, 7)
        if text not in functions:
            scaled = "StandardScaler" in text
            plain = "scaled_columns" if scaled else "plain_columns"
            taken = [name for name, _ in functions.values()]
            name = plain if plain not in taken else f"{plain}_{len(taken) + 1}"
            functions[text] = (name, pieces.front(name, text, scaled=scaled))
        steps = tuple(("", coder.node(step)) for _, step in model.steps[1:])
        coder.need("sklearn.pipeline", "make_pipeline")
        call = Call("make_pipeline(", (("", f"{functions[text][0]}()"), *steps), ")")
        parts: list[tuple[str, Node]] = [("", f"{weight:.12g}"), ("", call)]
        if any(recipe.balanced) or recipe.weight:
            kind = "none" if not weighted else ("balanced" if balanced else "own")
            parts.append(("", quoted(kind)))
        entry = Call("(", tuple(parts), ")")
        items.append(f"        # {comment}\n        {rendered(entry, 8, 1)},")
    body = "\n".join(items)
    return pieces.MEMBERS.replace("BODY", body), [text for _, text in functions.values()]


def _training(recipe: ScriptRecipe) -> str:
    weighs = any(recipe.balanced) or bool(recipe.weight)
    if not weighs:
        return pieces.TRAIN
    own = "number(table[WEIGHT]).to_numpy()" if recipe.weight else "np.ones(len(table))"
    target = "np.zeros(len(table), dtype=int)" if not recipe.classes else "y"
    return pieces.TRAIN_WEIGHTED.replace("OWN", own).replace("CODES", target)


def _combining(recipe: ScriptRecipe) -> str:
    text = _by_ensemble(recipe)
    if recipe.decision is None:
        return text
    # Labels follow the threshold in place of what predicts, which comes last.
    return text[: text.index("def predict(")] + pieces.DECIDED.lstrip("\n")


def _by_ensemble(recipe: ScriptRecipe) -> str:
    combination = recipe.ensemble.combination
    if combination == "stack":
        return (
            pieces.PROBABILITIES + pieces.STACK_CLASSES if recipe.classes else pieces.STACK_VALUES
        )
    if not recipe.classes:
        return pieces.MEAN_VALUES
    if combination == "vote" and recipe.decision is None:
        return pieces.PROBABILITIES + pieces.VOTE
    mean = recipe.ensemble.temperature == 1.0
    return pieces.PROBABILITIES + (pieces.MEAN_CLASSES if mean else pieces.TEMPERED_CLASSES)


def _main(recipe: ScriptRecipe) -> str:
    piece = pieces.MAIN_CLASSES if recipe.classes else pieces.MAIN_VALUES
    return piece.replace('"ROWS_FILE"', quoted(recipe.rows_file)).replace(
        '"SOURCE"', quoted(recipe.source)
    )
