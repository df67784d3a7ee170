"""Names of composed methods."""

from typing import Any

import pytest

from studio.gui.drafts.method_names import compose_name, list_differences
from studio.helper.methods import make_catalogue

CATALOGUE = make_catalogue()
PRESETS = {each.key: each for each in CATALOGUE.methods}


@pytest.mark.parametrize(
    ("preset", "overrides", "name"),
    [
        ("EO-sig", {}, "EO-sig"),
        ("EO-sig", {"surrogate.kernel": "matern"}, "EO-sig with Matérn 5/2 kernel"),
        (
            "EO-sig",
            {"surrogate": "random-forest", "proposer.slots": 7},
            "EO-sig with Random forest and slots 7",
        ),
        (
            "BO-post",
            {"ensemble.size": 5, "ensemble.replacement": False, "surrogate.samples": 3},
            "BO-post with size 5, no replacement and 1 more change",
        ),
        (
            "EO-sig",
            {"proposer": "random", "ensemble": "greedy"},
            "Random search with Greedy selection",
        ),
        (
            "RS",
            {"proposer": "bo", "surrogate": "gp", "acquisition": "ei", "maximiser": "local-search"},
            "Bayesian optimisation",
        ),
    ],
)
def test_composed_names_are_readable(preset: str, overrides: dict[str, Any], name: str) -> None:
    assert compose_name(PRESETS[preset], overrides, CATALOGUE) == name


def test_differences_are_described_by_part_and_option() -> None:
    differences = list_differences(
        PRESETS["EO-sig"], {"acquisition": "lcb", "acquisition.kappa": 2.5}, CATALOGUE
    )
    assert [(each.part, each.option) for each in differences] == [
        ("acquisition", ""),
        ("acquisition", "kappa"),
    ]
    assert differences[1].label == "kappa 2.5"


def test_unknown_part_is_named_by_key() -> None:
    assert compose_name(PRESETS["RS"], {"ensemble.unheard": 3}, CATALOGUE) == "RS with unheard 3"
