"""Decoding of bytes: the encoding of a file, and its evidence."""

import codecs
import dataclasses
import re
from dataclasses import dataclass

import numpy as np

from studio.data.encoding_guess import WESTERN, EncodingGuess, guess_encodings
from studio.errors import DataError
from studio.phrases import counted, phrase

ENCODINGS: tuple[str, ...] = (
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "iso-8859-1",
    "iso-8859-15", "mac-roman", "cp437", "cp850", "cp1250", "iso-8859-2", "cp1251", "koi8-r",
    "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp932", "euc-jp", "gb18030", "big5",
    "euc-kr",
)  # fmt: skip
"""The accepted encodings."""

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


@dataclass(frozen=True)
class Decoded:
    """The text of a file.

    Attributes:
        evidence: The reason for the encoding, in a sentence. notes: Repairs and alternative
            encodings.
        likely: Other possible encodings.
        uncertainty_note: The note that the encoding is uncertain; "" for none.
    """

    text: str
    encoding: str
    evidence: str
    notes: tuple[str, ...]
    likely: tuple[EncodingGuess, ...] = ()
    uncertainty_note: str = ""


def decode(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """Decode a file's bytes, by default with a guessed encoding.

    Args:
        encoding: One of :data:`ENCODINGS`; ``None`` tries byte order mark, UTF-8, UTF-16 (zero
            bytes), Shift-JIS (kana), words of languages (:mod:`studio.data.encoding_guess`), and
            cp1252.

    Raises:
        DataError: If the encoding is unknown or does not fit, or the bytes are not text.
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


def _decode_as(data: bytes, name: str, encoding: str) -> Decoded:
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
            "{name!r} is not written in {encoding}: byte 0x{bad} at position {start:,} is not "
            "valid there. Choose another encoding, or let it be guessed.",
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
    # Files declared as Shift-JIS come from Windows, whose table has more letters.
    return "cp932" if name == "shift_jis" else name


def _decode_with_nuls(data: bytes, name: str) -> Decoded:
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
            return Decoded(text.removeprefix("\ufeff"), encoding, evidence, ())
    sample = data[:_SAMPLE]
    nuls, controls = sample.count(0), len(_CONTROLS.findall(sample))
    if (nuls + controls) > 0.01 * len(sample) + 2:
        raise _make_binary_error(name)
    return _guess_eight_bit(data, name)


def _make_binary_error(name: str) -> DataError:
    return DataError(
        "{name!r} is a binary file, not a table as text, despite its name. Export the table as CSV "
        "from the program that wrote it.",
        name=name,
    )


def _guess_eight_bit(data: bytes, name: str) -> Decoded:
    if len(_CONTROLS.findall(data[:_SAMPLE])) > 0.02 * min(len(data), _SAMPLE) + 2:
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
    Western letters of DOS and the Macintosh use these bytes, too, but among plain letters.
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
    among = len(_NON_ASCII_IN_WORD.findall(text[:_SAMPLE]))
    if full_width and 2 * among < len(letters) and (kana >= 0.2 * len(letters) or leads >= 0.4):
        return text
    return None


def _decode_mixed(data: bytes) -> Decoded | None:
    """Decode UTF-8 with some single bytes; ``None`` if most letters are not UTF-8."""
    mixed = data.decode("utf-8", "surrogateescape")
    strays = sum(1 for _ in re.finditer("[\udc80-\udcff]", mixed))
    valid = sum(1 for _ in re.finditer("[\x80-\ud7ff\ue000-\U0010ffff]", mixed))
    if valid <= strays:
        return None
    text = re.sub(
        "[\udc80-\udcff]+",
        lambda match: _decode_western(match[0].encode("utf-8", "surrogateescape")),
        mixed,
    )
    note = counted(
        "1 byte is not UTF-8 like the rest of the file; it was read as a Western letter (cp1252). "
        "Look at the names and labels with accents.",
        "{count:,} bytes are not UTF-8 like the rest of the file; they were read as Western "
        "letters (cp1252). Look at the names and labels with accents.",
        strays,
    )
    evidence = phrase("Most letters beyond ASCII are valid UTF-8.")
    return _remove_nuls(text, "utf-8", evidence, (note,))


def _decode_likely(data: bytes) -> Decoded:
    """Decode with the most likely encoding valid for the whole file; the Western one always is."""
    western = ENCODINGS[ENCODINGS.index(WESTERN) :]
    guesses = guess_encodings(
        data, [each for each in western if each != "cp932"]
    )  # which has failed
    for index, each in enumerate(guesses):
        try:
            text = _decode_western(data) if each.encoding == WESTERN else data.decode(each.encoding)
        except UnicodeDecodeError:
            continue
        alternatives = (*guesses[:index], *guesses[index + 1 :])
        evidence = phrase(
            "The bytes are not UTF-8; as {encoding} they form words: {words}.",
            encoding=each.encoding,
            words=each.sample,
        )
        if each.encoding == WESTERN:
            evidence = phrase(
                "The bytes are not valid UTF-8; Western letters (cp1252) are the usual reason."
            )
        doubt = _describe_encoding(each, alternatives)
        decoded = _remove_nuls(text, each.encoding, evidence, (doubt,) if doubt else ())
        return dataclasses.replace(decoded, likely=alternatives, uncertainty_note=doubt)
    raise AssertionError("Western letters are always among the likely ones")


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


def _remove_nuls(text: str, encoding: str, evidence: str, notes: tuple[str, ...] = ()) -> Decoded:
    text = text.removeprefix("\ufeff").removesuffix("\x1a")  # the end-of-file mark of DOS
    text = text.replace("\n\ufeff", "\n")  # files joined by copy have a byte order mark each
    if "\x00" in text:  # searching is several times as fast as counting
        nuls = text.count("\x00")
        text = text.replace("\x00", "")
        notes = (
            *notes,
            counted(
                "1 NUL character, which does not belong in text, was left out.",
                "{count:,} NUL characters, which do not belong in text, were left out.",
                nuls,
            ),
        )
    return Decoded(text, encoding, evidence, notes)
