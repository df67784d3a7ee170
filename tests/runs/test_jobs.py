import json
from pathlib import Path

from studio.runs.jobs import make_evaluation_job, make_refit_job


def test_jobs_are_json_with_named_values(make_space):
    configuration = {"algorithm": "knn", "knn.n_neighbors": 3}
    job = make_evaluation_job(make_space([*configuration, "tree.max_depth"]), configuration, 7)
    assert json.loads(json.dumps(job)) == {
        "kind": "evaluate",
        "sets": {"algorithm": "algorithm", "knn.n_neighbors": "knn.n_neighbors"},
        "configuration": configuration,
        "seed": 7,
        "seconds": None,
        "training_seconds": None,
        "models": None,
        "thresholds": None,
        "max_bytes": None,
        "max_rows": None,
    }


def test_refit_job_contains_file_names_only(make_space):
    configuration = {"algorithm": "knn"}
    job = make_refit_job(make_space(configuration), configuration, 7, rows=Path("rows.npy"))
    assert (job["kind"], job["rows"], job["pickle"], job["matrices"]) == (
        "refit",
        "rows.npy",
        None,
        [],
    )
