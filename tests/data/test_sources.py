import gzip
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from studio.data import sources
from studio.data.sources import TableBytes, read_regular, unpack
from studio.errors import DataError
from tests.facts import about

TABLE = b"a,b\n1,2\n"


def load(path: Path) -> TableBytes:
    return unpack(read_regular(path), path.name)


def make_zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_plain_bytes_are_unchanged(save):
    source = load(save(TABLE))
    assert source.data == TABLE
    assert source.notes == ()
    assert len(source.sha256) == 64


def test_gzip_is_recognised_by_content(save):
    assert load(save(gzip.compress(TABLE), "table.csv")).data == TABLE


def test_single_table_of_zip_is_parsed(save):
    packed = make_zip({"__MACOSX/._t.csv": b"x", "readme.md": b"hello", "folder/t.csv": TABLE})
    source = load(save(packed, "t.zip"))
    assert source.data == TABLE
    assert "'t.csv'" in source.notes[0]


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"a.csv": TABLE, "b.csv": TABLE}, "exactly one table"),
        ({}, "is empty"),
        ({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}, "sheet as CSV"),
        ({"a.csv": gzip.compress(TABLE)}, "compressed twice"),
    ],
)
def test_zip_without_single_table_is_rejected(save, members, sentence):
    with pytest.raises(DataError, match=sentence):
        load(save(make_zip(members), "t.zip"))


def test_archive_paths_are_not_followed(save, tmp_path):
    load(save(make_zip({"../../evil.csv": TABLE}), "t.zip"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["t.zip"]


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: make_zip({"t.csv": data})])
def test_zip_bomb_is_rejected_early(save, monkeypatch, pack):
    monkeypatch.setattr(sources, "FREE_BYTES", 2**20)
    path = save(pack(b"0" * (8 * 2**20)), "bomb")
    with pytest.raises(DataError, match="zip bomb", check=about(size="8 MiB")):
        load(path)


def test_decompressed_size_is_limited_by_memory(save, monkeypatch):
    monkeypatch.setattr(sources.read_cost, "get_free_memory", lambda: 4 * 2**20)
    with pytest.raises(DataError, match="has room for", check=about(size="2 MiB")):
        load(save(gzip.compress(os.urandom(2 * 2**20)), "t.gz"))


def test_damaged_archives_are_reported(save):
    content = gzip.compress(os.urandom(5000))
    with pytest.raises(DataError, match="is damaged"):
        load(save(content[:-20], "t.csv.gz"))
    with pytest.raises(DataError, match="is damaged"):
        load(save(content[:1000] + bytes([content[1000] ^ 255]) + content[1001:], "t.csv.gz"))
    with pytest.raises(DataError, match="is damaged"):
        load(save(make_zip({"t.csv": TABLE})[:40], "t.zip"))


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_with_damaged_byte_is_parsed_or_rejected(save, method):
    rng = np.random.default_rng(method)
    content = make_zip({"täble.csv": b"a,b\n" + b"1,2\n" * 20}, method)
    cause_names = set()
    for _ in range(300):
        damaged = bytearray(content)
        for index in rng.integers(len(content), size=2):
            damaged[index] = rng.integers(256)
        try:
            load(save(bytes(damaged), "t.zip"))
        except DataError as error:
            cause_names.add(type(error.__cause__).__name__)
    assert len(cause_names) > 2  # there were several kinds of damage


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"%PDF-1.7\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"SQLite format 3\x00", "database"),
        (b"$FL2@(#) SPSS", "SPSS"),
        (b"<stata_dta><header>", "Stata"),
        (b"\x00" * 12 + b"\xc2\xea\x81\x60", "SAS"),
        (b"RDX3\n", "R data file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "Excel"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\n<!DOCTYPE html><html>", "web page"),
        (b"\\begin{tabular}{ll}\na & b \\\\\n1 & 2 \\\\\n", "LaTeX"),
        (b"-- MySQL dump 10.13\n--\n\nINSERT INTO `t` VALUES (1,'a');\n", "SQL"),
        (b"- a: 1\n  y: no\n- a: 2\n  y: yes\n", "YAML"),
    ],
)
def test_unsupported_formats_are_rejected_with_remedy(save, data, sentence):
    with pytest.raises(DataError, match=sentence):
        load(save(data))


def test_folder_is_rejected(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        load(tmp_path)


def test_fifo_is_rejected_without_blocking(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    with pytest.raises(DataError, match="pipe or device"):
        load(path)


def test_device_file_is_rejected():
    with pytest.raises(DataError, match="pipe or device"):
        load(Path("/dev/zero"))


def test_invalid_paths_are_reported(tmp_path):
    with pytest.raises(DataError, match="no file", check=about(path=str(tmp_path / "nowhere.csv"))):
        load(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="file name", check=about(path=repr("a\x00b.csv"))):
        load(Path("a\x00b.csv"))
    with pytest.raises(DataError, check=about(reason="File name too long")):
        load(tmp_path / ("x" * 5000))


def test_path_may_contain_unicode_and_blanks(save):
    assert load(save(TABLE, "Übung 表 🙂 .csv")).data == TABLE


def test_file_changed_during_reading_is_rejected(save, monkeypatch):
    path = save(TABLE)
    opened = Path.open

    def open_and_append(self, *arguments, **options):
        file = opened(self, *arguments, **options)
        with opened(path, "ab") as other:
            other.write(b"3,4\n")
        os.utime(path, (1, 1))
        return file

    monkeypatch.setattr(Path, "open", open_and_append)
    with pytest.raises(DataError, match="another program"):
        load(path)


def test_file_without_permission_is_reported(save, monkeypatch):
    def refuse(self, *arguments, **options):
        raise PermissionError(13, "Permission denied")

    path = save(TABLE)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="not allowed", check=about(name="'table.csv'")):
        load(path)
