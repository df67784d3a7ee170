"""Labels that differ only by case, by blanks or by the width of their letters."""

import unicodedata
from collections.abc import Iterable, Sequence

from studio.data.description import Finding
from studio.data.distinct import Distinct
from studio.phrases import phrase

_MANY = 10_000
"""Different texts that are not compared any more: they are names, not labels."""

_SHOWN = 3


def spelling(label: str) -> str:
    """Return what is left of a label without case, blanks, invisible marks and full width."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())
    return "".join(
        each for each in folded if not each.isspace() and unicodedata.category(each) != "Cf"
    )


def alike(labels: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of labels that are alike but not equal, each in the order given."""
    groups: dict[str, dict[str, None]] = {}
    for label in labels:
        groups.setdefault(spelling(label), {})[label] = None
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def about_labels(cells: Distinct) -> list[Finding]:
    """Say which classes or categories of a column are probably the same."""
    if len(cells.texts) > _MANY:
        return []
    groups = alike(label for label in cells.labels if label is not None)
    if groups:
        sentence = phrase(
            "{number:,} labels differ only by case, blanks or width ({listed}) and are taken for "
            "different ones. If they mean the same, write them alike in the file.",
            number=sum(map(len, groups)),
            listed=_listed(groups),
        )
        return [Finding("alike-labels", "decide", sentence)]
    texts: dict[str, list[str]] = {}
    for text, label in zip(cells.texts, cells.labels, strict=True):
        if label is not None:
            texts.setdefault(label, []).append(text)
    merged = tuple(group for each in texts.values() for group in alike(each))
    if not merged:
        return []
    sentence = phrase(
        "{number:,} spellings differ only by case, blanks or width ({listed}) and are taken for "
        "the same.",
        number=sum(map(len, merged)),
        listed=_listed(merged),
    )
    return [Finding("alike-labels", "done", sentence)]


def _listed(groups: Sequence[Sequence[str]]) -> str:
    """Show some groups: "'no' = 'No'; 'yes' = 'YES'"."""
    shown = "; ".join(" = ".join(repr(label[:40]) for label in each) for each in groups[:_SHOWN])
    return f"{shown}; …" if len(groups) > _SHOWN else shown
