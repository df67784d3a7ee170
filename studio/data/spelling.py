"""Labels that differ only by case, by blanks or by the width of their letters."""

import unicodedata
from collections.abc import Iterable


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
