import json

import pandas as pd
import pytest

from bench.reading import TARGET, WAYS, main, write_table

pytestmark = pytest.mark.slow


def test_benchmark_table_matches_description(tmp_path):
    write_table(tmp_path / "t.csv", 400)
    table = pd.read_csv(tmp_path / "t.csv", parse_dates=["day"])
    kinds = [kind.kind for kind in table.dtypes]
    assert table.shape == (400, 19)
    assert (kinds.count("f"), kinds.count("i"), kinds.count("M")) == (8, 4, 1)
    assert table[TARGET].nunique() == 2
    assert table["id"].is_unique


@pytest.mark.parametrize("way", WAYS)
def test_each_reader_reports_seconds_and_megabytes(tmp_path, capsys, way):
    write_table(tmp_path / "t.csv", 400)
    assert main(way, str(tmp_path / "t.csv")) == 0
    seconds, megabytes = json.loads(capsys.readouterr().out)
    assert seconds > 0
    assert megabytes >= 0
