"""Arguments of ``studio predict`` that are rejected before reading anything."""

from pathlib import Path

import pytest

from studio.cli.entry import main


@pytest.mark.parametrize("name", ["p.json", "p.csv.gz", "P.PARQUET"])
def test_predictions_are_not_written_as_another_format(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.studio"
    model.touch()
    assert main(["predict", str(model), "new.csv", "-o", str(tmp_path / name)]) == 2
    assert Path(name).suffix.lower() in capsys.readouterr().err
