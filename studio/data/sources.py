"""Source files of tables: file type, decompression, and limits.

Nothing is unpacked to disk and no name inside an archive is used as a path, so a malicious archive
can only be rejected.
"""

import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio.data import read_cost
from studio.errors import DataError
from studio.phrases import join_quoted, phrase

MAX_BYTES = 4 * 2**30
"""Maximum size of a table's text (4 GiB)."""

MAX_RATIO = 100
"""Maximum compression ratio of a file (beyond :data:`FREE_BYTES`)."""

FREE_BYTES = 64 * 2**20
"""Size up to which the compression ratio is not checked (64 MiB)."""

_MEMORY_FRACTION = 4  # divisor of free memory for unpacked data; text and table also need some

_BLOCK = 2**20
_TABLE_SUFFIXES = (
    ".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".arff", ".json", ".jsonl", ".ndjson",
    ".libsvm", ".svm",
)  # fmt: skip

UNREADABLE_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError, ValueError,
    LookupError,
)  # fmt: skip
"""Errors raised by :mod:`zipfile` for damaged bytes: impossible offsets, versions, names,
streams."""

_SAVE_AS_CSV = phrase("Save the table as CSV.")
_UNPACK = phrase("Unpack it, or use .gz or .zip.")
_CHOOSE_TEXT = phrase("Choose a text file with a table.")
_OTHER_FORMATS: tuple[tuple[bytes, str, str], ...] = (
    (
        b"\xd0\xcf\x11\xe0",
        phrase("an old Excel workbook"),
        phrase("Open it in Excel and save the sheet as CSV."),
    ),
    (
        b"SQLite format 3\x00",
        phrase("a database (SQLite)"),
        phrase("Export the table as CSV first."),
    ),
    (
        b"%PDF",
        phrase("a PDF document"),
        phrase("Export the table as CSV from the program that made it."),
    ),
    (b"\x89PNG", phrase("a picture (PNG)"), _CHOOSE_TEXT),
    (b"\xff\xd8\xff", phrase("a picture (JPEG)"), _CHOOSE_TEXT),
    (b"\x89HDF", phrase("an HDF5 file"), _SAVE_AS_CSV),
    (b"ARROW1", phrase("an Arrow file"), _SAVE_AS_CSV),
    (b"\x93NUMPY", phrase("a NumPy array"), _SAVE_AS_CSV),
    (b"$FL2", phrase("an SPSS file"), _SAVE_AS_CSV),
    (b"<stata_dta>", phrase("a Stata file"), _SAVE_AS_CSV),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", phrase("a SAS file"), _SAVE_AS_CSV),
    (b"RDX", phrase("an R data file"), _SAVE_AS_CSV),
    (b"PK\x03\x04", phrase("compressed twice"), _UNPACK),
    (b"\x1f\x8b", phrase("compressed twice"), _UNPACK),
    (b"BZh", phrase("compressed with bzip2"), _UNPACK),
    (b"\xfd7zXZ", phrase("compressed with xz"), _UNPACK),
    (b"(\xb5/\xfd", phrase("compressed with zstd"), _UNPACK),
    (b"7z\xbc\xaf", phrase("a 7-Zip archive"), _UNPACK),
    (b"Rar!", phrase("a RAR archive"), _UNPACK),
    (b"\x7fELF", phrase("a program"), _CHOOSE_TEXT),
    (b"MZ\x90", phrase("a program"), _CHOOSE_TEXT),
)
"""Signatures of unsupported files, with their type and the remedy."""

_OTHER_TEXTS: tuple[tuple[bytes, str, str], ...] = (
    (
        rb"<!doctype html|<html",
        phrase("a web page"),
        phrase("The download probably needed a login or another link: download the CSV itself."),
    ),
    (
        rb"(?:--[^\n]*\s+)*(?:create table|insert into|drop table|copy [^\n]* from stdin)\b",
        phrase("a file of SQL statements"),
        phrase("Run them in a database and export the table as CSV."),
    ),
    (rb"(?:---\s+)?- [\w ]+:[^\n]*\n  [\w ]+:", phrase("a YAML file"), _SAVE_AS_CSV),
    (rb"<\?xml", phrase("an XML file"), _SAVE_AS_CSV),
    (rb"\\(?:documentclass|begin\{)", phrase("a LaTeX document"), _SAVE_AS_CSV),
)
"""The same for texts, by a pattern of their beginning in lower case."""


@dataclass(frozen=True)
class TableBytes:
    """The bytes of one table, the hexadecimal hash of the file on disk, and notes."""

    data: bytes
    sha256: str
    notes: tuple[str, ...]


def unpack(packed: bytes, name: str) -> TableBytes:
    """Decompress ``.gz`` or ``.zip``, by content; raise DataError for damaged or binary files."""
    digest = hashlib.sha256(packed).hexdigest()
    data, notes = packed, []
    limit = get_max_unpacked_size(len(packed), MAX_BYTES)
    if packed.startswith(b"\x1f\x8b"):
        data = _unpack_gzip(packed, name, limit)
        notes.append(phrase("The file was decompressed (gzip)."))
    elif packed.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        data, member = _unpack_zip(packed, name, limit)
        notes.append(
            phrase("The table {member!r} was extracted from the zip archive.", member=member)
        )
    _check_format(data, name)
    return TableBytes(data, digest, tuple(notes))


def get_max_unpacked_size(packed: int, max_size: int) -> int:
    """Return the maximum decompressed size of a packed file in bytes, at most ``max_size``."""
    memory_limit = read_cost.get_free_memory() // _MEMORY_FRACTION
    return min(max_size, memory_limit, max(FREE_BYTES, MAX_RATIO * packed))


def read_regular(path: Path) -> bytes:
    """Return the bytes of an unchanging regular file, or raise DataError."""
    name = path.name or str(path)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DataError(
                "{name!r} is a folder. Choose the file with the table inside it.", name=name
            )
        if not stat.S_ISREG(status.st_mode):
            raise DataError(
                "{name!r} is not an ordinary file but a pipe or device, which cannot be read "
                "twice. Save its content to a file and choose that.",
                name=name,
            )
        if status.st_size > MAX_BYTES:
            raise DataError(
                "{name!r} has {size:.1f} GiB; at most {most:.0f} GiB can be read. Take a "
                "sample of its rows.",
                name=name,
                size=status.st_size / 2**30,
                most=MAX_BYTES / 2**30,
            )
        with path.open("rb") as file:
            data = file.read(status.st_size + 1)  # everything requested is read at once
            after = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise DataError("There is no file {path}. Check its name and folder.", path=path) from error
    except PermissionError as error:
        raise DataError(
            "You are not allowed to read {name!r}. Change its permissions, or copy it elsewhere.",
            name=name,
        ) from error
    except ValueError as error:  # a NUL inside the path
        raise DataError("{path!r} is not a valid file name.", path=str(path)) from error
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise DataError(
            "{name!r} could not be read: {reason}. Copy it elsewhere.",
            name=name[:80],
            reason=reason,
        ) from error
    if len(data) != after.st_size or after.st_mtime_ns != status.st_mtime_ns:
        raise DataError(
            "{name!r} was changed by another program while it was being read. Wait until it "
            "is written completely, then open it again.",
            name=name,
        )
    return data


def _unpack_gzip(packed: bytes, name: str, limit: int) -> bytes:
    try:
        with gzip.open(io.BytesIO(packed)) as stream:
            return _read_limited(stream.read, name, limit, int.from_bytes(packed[-4:], "little"))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            "{name!r} is damaged: it cannot be decompressed to its end ({error}). Copy or "
            "download it again.",
            name=name,
            error=error,
        ) from error


def _unpack_zip(packed: bytes, name: str, limit: int) -> tuple[bytes, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            member = _find_only_table(archive, name)
            if member.flag_bits & 1:
                raise DataError(
                    "{name!r} needs a password. Unpack it and open the table inside.", name=name
                )
            if member.file_size > limit:
                raise make_unpacked_size_error(name, f"{member.file_size / 2**20:,.0f} MiB")
            with archive.open(member) as stream:
                return _read_limited(stream.read, name, limit), Path(member.filename).name
    except UNREADABLE_ARCHIVE as error:
        raise DataError(
            "{name!r} is damaged or packed in an unusual way ({error}). Unpack it and open "
            "the table inside.",
            name=name,
            error=error,
        ) from error


def _find_only_table(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    member_names = {member.filename for member in members}
    if "[Content_Types].xml" in member_names or "mimetype" in member_names:
        raise DataError(
            "{name!r} is a workbook in an unsupported format. Open it in the program that made it "
            "and save the sheet as CSV.",
            name=name,
        )
    tables = [member for member in members if member.filename.lower().endswith(_TABLE_SUFFIXES)]
    candidates = tables or members
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise DataError("The archive {name!r} is empty. Add the table to it again.", name=name)
    names = join_quoted(Path(member.filename).name[:60] for member in candidates[:5])
    raise DataError(
        "The archive {name!r} holds {n_candidates} files ({listed}…); it must hold exactly "
        "one table. Unpack it and choose one.",
        name=name,
        n_candidates=len(candidates),
        listed=names,
    )


def make_unpacked_size_error(name: str, size: str) -> DataError:
    """Return the error for a file that decompresses to ``size`` ("more than 64 MiB")."""
    return DataError(
        "{name!r} expands to {size}, far more than a compressed table would, or more than this "
        "computer has room for; it may be malicious (a zip bomb). If you trust it, unpack it "
        "yourself and open the table inside, or a sample of its rows.",
        name=name,
        size=size,
    )


def _read_limited(
    read: Callable[[int], bytes], name: str, limit: int, declared_size: int = 0
) -> bytes:
    """Decompress up to the limit; ``declared_size`` is the size stored at the file's end."""
    blocks, total = [], 0
    while block := read(_BLOCK):
        total += len(block)
        if total > limit:
            size = f"{declared_size / 2**20:,.0f} MiB" if declared_size > limit else ""
            raise make_unpacked_size_error(
                name, size or phrase("more than {size:,.0f} MiB", size=limit / 2**20)
            )
        blocks.append(block)
    return b"".join(blocks)


def _check_format(data: bytes, name: str) -> None:
    opening = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    others = [
        *(each for each in _OTHER_FORMATS if data.startswith(each[0])),
        *(each for each in _OTHER_TEXTS if re.match(each[0], opening)),
    ]
    for _, description, remedy in others:
        raise DataError(
            "{name!r} is {what}, not a text table. {remedy}",
            name=name,
            what=description,
            remedy=remedy,
        )
