"""Say which labels of a column are probably the same."""

from collections.abc import Sequence

from studio.data import remedies
from studio.data.description import Finding
from studio.data.distinct import Distinct
from studio.data.spelling import alike
from studio.phrases import phrase

_MANY = 10_000
"""Different texts that are not compared any more: they are names, not labels."""

_SHOWN = 3


def about_labels(cells: Distinct) -> list[Finding]:
    """Say which classes or categories of a column are probably the same."""
    if len(cells.texts) > _MANY:
        return []
    groups = alike(cells.known_labels[0])
    if groups:
        sentence = phrase(
            "{number:,} labels differ only by case, blanks or width ({listed}) and are different "
            "ones. If they mean the same, merge them.",
            number=sum(map(len, groups)),
            listed=_listed(groups),
        )
        return [Finding("alike-labels", "decide", sentence, remedies.merge_alike(cells, groups))]
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
