"""Decoding of bytes: the encoding of a file, and its evidence.

For text other than Unicode, the language statistics of charset-normalizer are complemented by
further evidence: letters beyond ASCII are isolated among plain ones in Western words, and adjacent
in those of other scripts. A short table is not enough to distinguish the encodings of Western and
Central Europe, so these are offered with some decoded words; if all letters belong to one language,
its encoding comes first. Only other scripts are decoded without asking, and DOS or Macintosh
encodings if only these give letters of a Western language.
"""

import codecs
import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studio.errors import DataError
from studio.phrases import count_phrase, phrase

ENCODINGS: tuple[str, ...] = (
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "iso-8859-1",
    "iso-8859-15", "mac-roman", "cp437", "cp850", "cp1250", "iso-8859-2", "cp1251", "koi8-r",
    "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp932", "euc-jp", "gb18030", "big5",
    "euc-kr",
)  # fmt: skip

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30ff]")
_NON_ASCII_IN_WORD = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]|[^\x00-\x7f](?=[A-Za-z])")
_CONTROLS = re.compile(b"[\x01-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 2**18


WESTERN = "cp1252"
LATIN = (WESTERN, "cp1250", "cp1254")
"""Western and Central European and Turkish encodings, indistinguishable in short tables."""

_GUESS_SAMPLE = 2**16
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
"""Words with non-ASCII letters, or with signs in place of letters."""


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

_KNOWN_WORDS: Mapping[str, re.Pattern[str]] = {
    "cp1250": re.compile(r"(?<![^\W\d_])(?:zł|Kč)(?!\w)"),
    "iso-8859-15": re.compile(r"[0-9]\s?€(?![^\x00-\x7f])"),
    "gb18030": re.compile("[0-9]年[0-9]{1,2}月"),
    "big5": re.compile("[0-9]年[0-9]{1,2}月"),
    "euc-kr": re.compile("[0-9]년 ?[0-9]{1,2}월"),
}
"""Words next to numbers (amounts, dates) that reveal an encoding even in a short table."""

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
    """Return plausible encodings of non-Unicode data, most likely first; at least the Western."""
    sample = _select_informative_lines(data)
    encodings = _guess_by_language(sample, candidates)
    western = sample.decode(WESTERN, "replace")
    has_odd_letters = not are_western(western)
    # Words of other scripts contain no ASCII letters; a lone sign groups digits or is a currency.
    words = _LETTERS.findall(sample)
    non_ascii_words = [word for word in words if len(word) > 1 and not word.isascii()]
    is_latin = 2 * sum(map(bool, map(_PLAIN.search, non_ascii_words))) > len(non_ascii_words)
    texts = {
        each: sample.decode(each, "replace") for each in _ALPHABETS if has_odd_letters and is_latin
    }
    other_encodings = [each for each in texts if _are_of_language(texts[each], _ALPHABETS[each])]
    if any(
        texts[each] == western for each in other_encodings
    ):  # the same byte is ý in Czech and ı in Turkish
        other_encodings = []
    if other_encodings or not encodings or not _is_other_script(encodings[0], sample):
        encodings = [
            *dict.fromkeys(
                (*other_encodings, WESTERN, *encodings, *(_ALPHABETS if has_odd_letters else ()))
            )
        ]
    known = [
        each for each, words in _KNOWN_WORDS.items() if words.search(sample.decode(each, "replace"))
    ]
    encodings = [*dict.fromkeys((*known, *encodings))]
    if WESTERN not in encodings[:_MAX_GUESSES]:
        encodings = [*encodings[: _MAX_GUESSES - 1], WESTERN]
    return tuple(
        EncodingGuess(each, _find_words(sample, each)) for each in encodings[:_MAX_GUESSES]
    )


def _select_informative_lines(data: bytes) -> bytes:
    """Return the distinct lines with non-ASCII bytes, as many as a guess needs."""
    opening = data[: 64 * _GUESS_SAMPLE].splitlines()
    lines = dict.fromkeys(line for line in opening if not line.isascii())
    text = b"\n".join(lines)
    if len(text) <= _GUESS_SAMPLE:
        return text
    return text[:_GUESS_SAMPLE].rpartition(b"\n")[0] or text[:_GUESS_SAMPLE]


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


@dataclass(frozen=True)
class DecodedText:
    """The text of a file.

    Attributes:
        evidence: The reason for the encoding, in a sentence.
        notes: Repairs and alternative encodings.
    """

    text: str
    encoding: str
    evidence: str
    notes: tuple[str, ...]
    likely: tuple[EncodingGuess, ...] = ()
    uncertainty_note: str = ""


def decode(data: bytes, name: str, encoding: str | None = None) -> DecodedText:
    """Decode a file's bytes; raise DataError for an unknown or wrong encoding, or no text.

    By default it tries byte order mark, UTF-8, UTF-16 (zero bytes), Shift-JIS (kana), words of
    languages, and cp1252.
    """
    if encoding is not None:
        return _decode_as(data, name, encoding)
    for mark, detected in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            evidence = phrase(
                "The file starts with the byte order mark of {encoding}.", encoding=detected.upper()
            )
            return dataclasses.replace(_decode_as(data, name, detected), evidence=evidence)
    if b"\x00" in data:
        return _decode_with_nuls(data, name)
    return _guess_eight_bit(data, name)


def _decode_as(data: bytes, name: str, encoding: str) -> DecodedText:
    supported = {_normalise_name(each) for each in ENCODINGS}
    if _normalise_name(encoding) not in supported:
        raise DataError(
            "The encoding {encoding!r} is not known; it must be one of: {encodings}.",
            encoding=encoding,
            encodings=", ".join(ENCODINGS),
        )
    codec = "utf-8-sig" if _normalise_name(encoding) == "utf-8" else _normalise_name(encoding)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        invalid_byte = data[error.start : error.start + 1].hex()
        raise DataError(
            "{name!r} is not valid {encoding}: invalid byte 0x{bad} at position {start:,}. Choose "
            "another encoding, or automatic detection.",
            name=name,
            encoding=encoding,
            bad=invalid_byte,
            start=error.start,
        ) from error
    return _remove_nuls(text, encoding, phrase("You chose {encoding}.", encoding=encoding))


def _normalise_name(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return encoding
    # Files declared as Shift-JIS come from Windows, whose code page has more characters.
    return "cp932" if name == "shift_jis" else name


def _decode_with_nuls(data: bytes, name: str) -> DecodedText:
    """Detect UTF-16 without a BOM: zero bytes on one side; others are stray bytes or binary."""
    zeros = np.flatnonzero(np.frombuffer(data[:_SAMPLE], dtype=np.uint8) == 0)
    odd_share = float(np.mean(zeros % 2)) if len(zeros) else 0.5
    if len(zeros) >= 2 and (odd_share > 0.9 or odd_share < 0.1):
        encoding = "utf-16-le" if odd_share > 0.5 else "utf-16-be"
        try:
            text = data[: len(data) // 2 * 2].decode(encoding)
        except UnicodeDecodeError:
            text = "\x00"
        if "\x00" not in text and not _CONTROLS.search(text[:4096].encode("utf-8", "replace")):
            evidence = phrase(
                "Every other byte of the plain letters is zero, as in {encoding}.",
                encoding=encoding.upper(),
            )
            return DecodedText(text.removeprefix("\ufeff"), encoding, evidence, ())
    sample = data[:_SAMPLE]
    nuls, controls = sample.count(0), len(_CONTROLS.findall(sample))
    if (nuls + controls) > 0.01 * len(sample) + 2:
        raise _make_binary_error(name)
    return _guess_eight_bit(data, name)


def _make_binary_error(name: str) -> DataError:
    return DataError(
        "{name!r} is a binary file, not a text table, despite its name. Export the table as CSV "
        "from the program that wrote it.",
        name=name,
    )


def _guess_eight_bit(data: bytes, name: str) -> DecodedText:
    controls = _CONTROLS.findall(data[:_SAMPLE])
    # A single control character separates cells, as in exports of Hive.
    if len({*controls}) > 1 and len(controls) > 0.02 * min(len(data), _SAMPLE) + 2:
        raise _make_binary_error(name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        evidence = (
            phrase("All bytes are plain ASCII.")
            if data.isascii()
            else phrase("All bytes are valid UTF-8.")
        )
        return _remove_nuls(text, "utf-8", evidence)
    japanese = _decode_shift_jis(data)
    if japanese is not None:
        evidence = phrase(
            "The bytes are not UTF-8, but they are Japanese words in Shift-JIS (cp932)."
        )
        return _remove_nuls(japanese, "cp932", evidence)
    return _decode_mixed(data) or _decode_likely(data)


def _decode_shift_jis(data: bytes) -> str | None:
    """Decode as Shift-JIS (with Microsoft's additions) if plausible.

    In Japanese text most letters start with a byte 0x81–0x9f, rare in Western text, or are kana.
    Western letters in DOS and Macintosh encodings use these bytes as well, but among plain letters.
    """
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return None
    high = np.frombuffer(data, dtype=np.uint8)
    high = high[high >= 0x80]
    letters = [character for character in text[:_SAMPLE] if character > "\x7f"]
    full_width = sum(character < "\uff61" or character > "\uff9f" for character in letters)
    kana = len(_KANA.findall("".join(letters)))
    leads = float(np.mean((high >= 0x81) & (high <= 0x9F))) if len(high) else 0.0
    n_letters_in_words = len(_NON_ASCII_IN_WORD.findall(text[:_SAMPLE].replace("°C", "")))
    if (
        full_width
        and 2 * n_letters_in_words < len(letters)
        and (kana >= 0.2 * len(letters) or leads >= 0.4)
    ):
        return text
    return None


def _decode_mixed(data: bytes) -> DecodedText | None:
    """Decode UTF-8 with some single bytes; ``None`` if most letters are not UTF-8."""
    mixed = data.decode("utf-8", "surrogateescape")
    invalid_characters = sum(1 for _ in re.finditer("[\udc80-\udcff]", mixed))
    valid = sum(1 for _ in re.finditer("[\x80-\ud7ff\ue000-\U0010ffff]", mixed))
    if valid <= invalid_characters:
        return None
    text = re.sub(
        "[\udc80-\udcff]+",
        lambda match: _decode_western(match[0].encode("utf-8", "surrogateescape")),
        mixed,
    )
    note = count_phrase(
        "1 byte is not UTF-8 like the rest of the file; it was read as a Western letter (cp1252). "
        "Look at the names and labels with accents.",
        "{count:,} bytes are not UTF-8 like the rest of the file; they were read as Western "
        "letters (cp1252). Look at the names and labels with accents.",
        invalid_characters,
    )
    evidence = phrase("Most letters beyond ASCII are valid UTF-8.")
    return _remove_nuls(text, "utf-8", evidence, (note,))


def _decode_likely(data: bytes) -> DecodedText:
    """Decode with the most likely encoding valid for the whole file; at worst the Western one."""
    western = ENCODINGS[ENCODINGS.index(WESTERN) :]
    guesses = guess_encodings(data, [each for each in western if each != "cp932"])  # failed
    best, *others = (each for each in guesses if _is_valid(data, each.encoding))
    alternatives = tuple(others)
    evidence = phrase(
        "The bytes are not UTF-8; as {encoding} they form words: {words}.",
        encoding=best.encoding,
        words=best.sample,
    )
    if best.encoding == WESTERN:
        evidence = phrase(
            "The bytes are not valid UTF-8; Western letters (cp1252) are the usual reason."
        )
    text = _decode_western(data) if best.encoding == WESTERN else data.decode(best.encoding)
    doubt = _describe_encoding(best, alternatives)
    decoded = _remove_nuls(text, best.encoding, evidence, (doubt,) if doubt else ())
    return dataclasses.replace(decoded, likely=alternatives, uncertainty_note=doubt)


def _is_valid(data: bytes, encoding: str) -> bool:
    """Whether an encoding is valid for the whole file; the Western one always is."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return encoding == WESTERN
    return True


def _describe_encoding(guess: EncodingGuess, alternatives: tuple[EncodingGuess, ...]) -> str:
    different = [each for each in alternatives if each.sample != guess.sample]
    if not different or not guess.sample:
        return ""
    listing = "; ".join(f"{each.encoding}: {each.sample}" for each in different[:3])
    return phrase(
        "The letters were read as {encoding} ({words}). If these are not words, choose "
        "another encoding ({listed}).",
        encoding=guess.encoding,
        words=guess.sample,
        listed=listing,
    )


def _decode_western(data: bytes) -> str:
    """Decode cp1252, with its five undefined bytes as control characters of ISO 8859-1."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(
            bytes([byte]).decode("cp1252" if byte not in _UNDEFINED else "latin-1") for byte in data
        )


_UNDEFINED = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D))


def _remove_nuls(
    text: str, encoding: str, evidence: str, notes: tuple[str, ...] = ()
) -> DecodedText:
    text = text.removeprefix("\ufeff").removesuffix("\x1a")  # the end-of-file mark of DOS
    text = text.replace("\n\ufeff", "\n")  # files joined by copy have a byte order mark each
    if "\x00" in text:  # a search is several times as fast as counting
        nuls = text.count("\x00")
        text = text.replace("\x00", "")
        notes = (
            *notes,
            count_phrase(
                "1 NUL character, which does not belong in text, was left out.",
                "{count:,} NUL characters, which do not belong in text, were left out.",
                nuls,
            ),
        )
    return DecodedText(text, encoding, evidence, notes)
