"""The catalogue task."""

import json

from studio.helper.catalogue import catalogue


def test_the_catalogue_is_plain_and_complete() -> None:
    reply = catalogue()
    json.dumps(reply)
    methods = {method["name"] for method in reply["methods"]}
    assert {"RS", "RS-post", "BO-best", "BO-post", "EO-sqm", "EO-post", "EO-mse"} <= methods
    for method in reply["methods"]:
        assert set(method["parts"]) <= set(reply["parts"])
    keys = {metric["key"] for metric in reply["metrics"]}
    assert set(reply["defaults"].values()) <= keys
    assert {space["key"] for space in reply["spaces"]} >= {"sklearn-cash", "svm-rbf", "svr"}
    assert all(learner["hyperparameters"] is not None for learner in reply["learners"])
