"""Search for methods by words, with a note on unavailable methods."""

from collections.abc import Sequence

from studio.helper.methods import Catalogue
from studio.language import N_, tr, translate
from studio.proposers.composition import Preset

_PART_KEYWORDS = {
    "cma-es": N_("genetic evolutionary algorithm"),
    "nes": N_("genetic evolutionary algorithm"),
}
"""Common words for a part that its methods' texts do not contain."""

_SIMILAR_PARTS = {"early-end", "rising-bandit"}
_SIMILAR_KEYWORDS = "hyperband successive halving asha bohb"
"""Parts similar to methods that are not included, and the names of these methods."""

_MIN_LETTERS = 4


def matches_search(method: Preset, search_words: Sequence[str]) -> bool:
    """Return whether a method's texts contain all words, which are in lower case."""
    texts = [method.key, method.title, method.family, method.summary, method.reference]
    parts = method.get_all_parts().values()
    texts += [_PART_KEYWORDS[key] for key in parts if key in _PART_KEYWORDS]
    readable_parts = [key.replace("-", " ") for key in parts]
    full_text = " ".join([*texts, *map(translate, texts), *method.aliases, *readable_parts]).lower()
    if all(word in full_text for word in search_words):
        return True
    return _asks_for_similar(search_words) and not _SIMILAR_PARTS.isdisjoint(parts)


def explain_search(
    search_words: Sequence[str], catalogue: Catalogue | None, *, n_matches: int
) -> str:
    """Return a note on absent methods or parts that match, or on no match; often empty."""
    if not search_words:
        return ""
    if _asks_for_similar(search_words):
        return tr(
            "Hyperband and successive halving are not included. These methods also stop "
            "unpromising trials, or whole algorithms."
        )
    if n_matches:
        return ""
    absent = () if catalogue is None else catalogue.unavailable_methods
    titles = [translate(each.title) for each in absent if matches_search(each, search_words)]
    if titles:
        return tr("{methods}: not available without an optional library.", methods=_join(titles))
    parts_by_kind = {} if catalogue is None else catalogue.parts
    part_titles = [
        translate(part.title)
        for parts in parts_by_kind.values()
        for part in parts
        if all(word in f"{part.title} {translate(part.title)}".lower() for word in search_words)
    ]
    if part_titles:
        return tr(
            "{parts}: no method by this name; choose it under “Compose from parts”.",
            parts=_join(part_titles),
        )
    return tr("No method matches; try another word.")


def _asks_for_similar(search_words: Sequence[str]) -> bool:
    return bool(search_words) and all(
        len(word) >= _MIN_LETTERS and word in _SIMILAR_KEYWORDS for word in search_words
    )


def _join(titles: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(titles))
