"""Likely encodings of text other than Unicode, the most likely first.

The language statistics of charset-normalizer are complemented by further evidence: letters
beyond ASCII are isolated among plain ones in Western words, and adjacent in those of other scripts.
A short table is not enough to distinguish the encodings of Western and Central Europe, so these are
offered with some decoded words; if all letters belong to one language, its encoding comes first.
Only other scripts are decoded without asking, and DOS or Macintosh encodings if only these give
letters of a Western language.
"""

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WESTERN = "cp1252"
LATIN = (WESTERN, "cp1250", "cp1254")
"""Encodings of Western and Central Europe and of Turkey, indistinguishable in short tables."""

_SAMPLE = 2**16
_MAX_GUESSES = 5
_NON_ASCII_RUN = re.compile(rb"[\x80-\xff]+")
_LETTERS, _PLAIN = re.compile(rb"[A-Za-z\x80-\xff]+"), re.compile(b"[A-Za-z]")
_MIN_ADJACENT_SHARE = 0.6
"""Minimum share of adjacent non-ASCII bytes in other scripts; Western texts have fewer."""

_OTHER_SCRIPTS = frozenset(
    [
        "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1251", "koi8_r", "cp1253", "cp1255",
        "cp1256",
    ]
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]*(?:[^\W\d_\x00-\x7f]|(?<=[^\W\d_])[^\x00-\x7f\s’–—·])[^\W\d_]*")
"""Words with letters beyond ASCII, or with signs in place of letters."""


_WESTERN = ("àâæçèéêëîïôœùûüÿ", "àáâãçèéêíïñòóôõúü", "àèéìîòóù", "åäæéöøü", "äéöüß")
_ALPHABETS: Mapping[str, Sequence[str]] = {
    "mac-roman": _WESTERN,
    "cp850": _WESTERN,
    "cp1250": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž"),
    "cp1254": ("çğıöşüâîû\u0307",),
}
"""Non-ASCII letters of some languages by an encoding in which these were written: French, Iberian
languages, Italian, Nordic languages, German; Polish, Czech, Slovak, Hungarian, Croatian; Turkish.
"""

_USUAL_SIGNS = frozenset("’–—·")


def are_western(text: str) -> bool:
    """Whether non-ASCII letters are those of one Western language, without signs inside words."""
    return _are_of_language(text, _WESTERN)


def _are_of_language(text: str, alphabets: Sequence[str]) -> bool:
    """Whether non-ASCII letters are those of one alphabet, without signs inside words."""
    letters = {each for each in text.lower() if each > "\x7f" and each not in "ªºµ"}
    letters = {each for each in letters if each.isalpha() or each == "\u0307"}
    if not any(letters <= {*alphabet} for alphabet in alphabets):
        return False
    return not any(
        sign > "\x7f"
        and (
            (sign.isupper() and previous_sign.islower())
            or not (sign.isalpha() or sign in _USUAL_SIGNS)
        )
        for previous_sign, sign, next_sign in zip(text, text[1:], text[2:], strict=False)
        if previous_sign.isalpha() and next_sign.isalpha()
    )


@dataclass(frozen=True)
class EncodingGuess:
    """A possible encoding, with some words of the file."""

    encoding: str
    sample: str


def guess_encodings(data: bytes, candidates: Sequence[str]) -> tuple[EncodingGuess, ...]:
    """Return plausible encodings of non-Unicode data, the likeliest first; at least Western."""
    sample = _select_informative_lines(data)
    encodings = _guess_by_language(sample, candidates)
    western = sample.decode(WESTERN, "replace")
    has_odd_letters = not are_western(western)
    # Words of other scripts have no plain letters.
    non_ascii_words = [word for word in _LETTERS.findall(sample) if not word.isascii()]
    is_latin = 2 * sum(map(bool, map(_PLAIN.search, non_ascii_words))) > len(non_ascii_words)
    texts = {
        each: sample.decode(each, "replace") for each in _ALPHABETS if has_odd_letters and is_latin
    }
    rivals = [each for each in texts if _are_of_language(texts[each], _ALPHABETS[each])]
    if any(texts[each] == western for each in rivals):  # ý is Czech, or ı in Turkish
        rivals = []
    if rivals or not encodings or not _is_other_script(encodings[0], sample):
        encodings = [
            *dict.fromkeys((*rivals, WESTERN, *encodings, *(_ALPHABETS if has_odd_letters else ())))
        ]
    if WESTERN not in encodings[:_MAX_GUESSES]:
        encodings = [*encodings[: _MAX_GUESSES - 1], WESTERN]
    return tuple(
        EncodingGuess(each, _find_words(sample, each)) for each in encodings[:_MAX_GUESSES]
    )


def _select_informative_lines(data: bytes) -> bytes:
    """Return the distinct lines with non-ASCII bytes, as many as a guess needs."""
    opening = data[: 64 * _SAMPLE].splitlines()
    lines = dict.fromkeys(line for line in opening if not line.isascii())
    text = b"\n".join(lines)
    if len(text) <= _SAMPLE:
        return text
    return text[:_SAMPLE].rpartition(b"\n")[0] or text[:_SAMPLE]


def _guess_by_language(sample: bytes, candidates: Sequence[str]) -> list[str]:
    from charset_normalizer import from_bytes

    names = {codecs.lookup(each).name.replace("-", "_"): each for each in candidates}
    matches = from_bytes(
        sample, cp_isolation=list(names), preemptive_behaviour=False, enable_fallback=False
    )
    return [names[match.encoding] for match in matches if match.encoding in names]


def _is_other_script(encoding: str, sample: bytes) -> bool:
    """Whether the encoding is for a non-Latin script and non-ASCII bytes are adjacent."""
    name = codecs.lookup(encoding).name.replace("-", "_")
    runs = _NON_ASCII_RUN.findall(sample)
    n_adjacent = sum(len(run) for run in runs if len(run) > 1)
    if n_adjacent < _MIN_ADJACENT_SHARE * sum(map(len, runs)):
        return False
    return name in _OTHER_SCRIPTS


def _find_words(sample: bytes, encoding: str) -> str:
    """Return the first words with non-ASCII letters in this encoding."""
    text = sample.decode(encoding, "replace")
    return ", ".join(list(dict.fromkeys(_WORD.findall(text)))[:4])[:60]
