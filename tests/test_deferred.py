"""Lazy imports in processes of the program."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from studio.children import make_code_command, make_module_command

OPTIONAL_IMPORTS = {"pandas", "pyarrow", "matplotlib", "scipy.stats._stats_py"}
"""Optional imports of scikit-learn and LightGBM."""


def run_and_get_output(code: str) -> str:
    process = subprocess.run(make_code_command(code), capture_output=True, text=True, check=True)
    return process.stdout.strip()


USES = [
    "from scipy.stats.qmc import Sobol; value = Sobol(1, scramble=False).random(2)[1, 0]",
    "from scipy.stats import chi2; value = chi2.sf(0, 1) / 2",
    "from scipy.stats import gmean; value = gmean([0.25, 1])",
    "from scipy import stats; value = stats.norm.cdf(0)",
    "import scipy.stats.mstats; value = scipy.stats.mstats.gmean([0.25, 1])",
    "from scipy.spatial import distance; value = distance.euclidean([0.5], [0])",
    "from scipy.spatial.distance import cdist; value = cdist([[0.5]], [[0]])[0, 0]",
    "from scipy.spatial import cKDTree; value = cKDTree([[0.5]]).query([0])[0]",
    "from scipy.fft import fft; value = fft([0.5, 0]).real[0]",
    "import asyncio; value = asyncio.run(asyncio.sleep(0, 0.5))",
]
"""First uses, each with the value 0.5."""

FIRST_USES = f"""
import os, sys
from studio.deferred import defer_imports
defer_imports()
import sklearn.covariance, sklearn.isotonic, sklearn.metrics, sklearn.kernel_approximation
loaded = 'scipy.stats._stats_py', 'scipy.spatial._kdtree', 'scipy.fft._basic', 'asyncio.events'
assert not set(loaded) & set(sys.modules), loaded
for use in {USES!r}:
    child = os.fork()  # each is the first one in its process
    if not child:
        names = {{}}
        exec(use, names)
        print(names["value"], flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_deferred_modules_are_imported_on_first_use() -> None:
    values = [float(line) for line in run_and_get_output(FIRST_USES).splitlines()]
    assert values == [pytest.approx(0.5)] * len(USES)


@pytest.mark.slow
def test_hidden_library_can_be_imported_later() -> None:
    code = (
        "from studio.deferred import hide_library\n"
        "with hide_library('pandas'):\n    import sklearn.ensemble\n"
        "import sys; assert 'pandas' not in sys.modules\n"
        "import pandas\n"
        "from sklearn.linear_model import LinearRegression\n"
        "frame = pandas.DataFrame({'x': [0.0, 1.0, 2.0]})\n"
        "model = LinearRegression().fit(frame, [1, 2, 3])\n"
        "print(*model.feature_names_in_, round(model.predict(frame)[2]))"
    )
    assert run_and_get_output(code) == "x 3"


@pytest.mark.slow
def test_worker_imports_only_needed_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = tmp_path / "loaded.json"
    (tmp_path / "reporting_learners.py").write_text(
        "from studio.learners.registry import PRELOADED, REGISTRY\n"
        "PRELOADED = (*PRELOADED, 'report_of_loaded')\n"
    )
    (tmp_path / "report_of_loaded.py").write_text(
        "import json, pathlib, sys\n"
        "names = [name for name, module in sys.modules.items() if module is not None]\n"
        f"pathlib.Path({str(loaded)!r}).write_text(json.dumps(names))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    command = make_module_command(
        "studio.runs.worker", str(tmp_path), "reporting_learners", os.getpid()
    )
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    names = set(json.loads(loaded.read_text()))
    assert {"lightgbm", "sklearn.ensemble"} <= names
    assert names & OPTIONAL_IMPORTS == set()


TRIAL = """
import sys
from pathlib import Path
import numpy as np
from studio.deferred import defer_imports, hide_library
defer_imports()
with hide_library("pandas"):
    from studio.runs.worker import _JobLoop
    loop = _JobLoop(Path(sys.argv[1]), "studio.learners.registry")
from studio.runs.jobs import make_evaluation_job
from studio.runs.staging import TrialData, get_data_folder
from studio.space.encoding import decode, sample
from studio.space.library import load
rows, X = np.arange(40), np.arange(120.0).reshape(60, 2)
data = TrialData(
    X=X, y=np.arange(60) % 2, task="binary", n_classes=2, categorical=np.array([False, True]),
    folds=((rows[8:], rows[:8]),), validation=rows[:8], test=np.arange(40, 60),
)
data.save(get_data_folder(Path(sys.argv[1]), 0))
assert loop.open_data(0) is None
space = load("forest-thesis")
configuration = decode(space, sample(space, np.random.default_rng(0), 1))[0]
job = make_evaluation_job(space, configuration, 0)
header, _ = loop.execute_job(
    {**job, "id": 1, "limits": {"seconds": None, "memory": None}}, lambda fold, n_folds: None
)
assert "result" in header, header
import json
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.slow
def test_trial_imports_only_needed_libraries(tmp_path: Path) -> None:
    process = subprocess.run(
        make_code_command(TRIAL, str(tmp_path)), capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    names = set(json.loads(process.stdout))
    assert "sklearn.ensemble" in names
    assert names & OPTIONAL_IMPORTS == set()
