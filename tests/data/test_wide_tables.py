"""The time for reading a table of very many columns is announced."""

import gzip

import pytest

from studio.data.read_cost import estimate_column_count, estimate_read_time


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_number_of_columns_is_estimated_from_first_line(save, pack, sign) -> None:
    path = save(pack((sign.join("abcd") + "\n1\n").encode()))
    assert estimate_column_count(path) == 4


def test_slow_reading_is_announced(save, tmp_path) -> None:
    wide = save(",".join(f"g{i}" for i in range(100_000)) + "\n", "wide.csv")
    announcement = estimate_read_time(wide)
    assert all(part in announcement for part in ("100,000 columns", "1 MB", "50 seconds"))
    assert estimate_read_time(save("a,b\n1,2\n")) == ""
    assert estimate_read_time(tmp_path / "none.csv") == ""
    assert estimate_read_time(tmp_path) == ""
    assert estimate_read_time(save(b"\x1f\x8b torn", "torn.csv.gz")) == ""


def test_run_announces_expected_reading_time(tmp_path, monkeypatch) -> None:
    from studio.data import read_cost
    from studio.document.store import Document
    from studio.errors import StudioError
    from studio.runs.engine import Engine
    from studio.runs.settings import RunSettings, TableSource

    monkeypatch.setattr(read_cost, "MIN_REPORTED_SECONDS", 0.0)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")  # no rows: reading fails, after the announcement
    settings = RunSettings(method="EO-sqm", budget=1, source=TableSource(path=str(path)))
    with Document.create(tmp_path / "d.studio") as document:
        run_id = document.runs.add("r", settings.to_json())
        with pytest.raises(StudioError):
            Engine(document, run_id, lambda _: None).execute_run()
        messages = [each.text for each in document.journal.list_messages(run_id)]
    assert any(text.startswith("About 2 columns") for text in messages)
