"""The catalogue task."""

import json

from studio.helper.answers import decode, encode
from studio.helper.methods import Catalogue, make_catalogue


def test_catalogue_is_complete_and_round_trips() -> None:
    made = make_catalogue()
    sent, arrays = encode(made)
    assert decode(Catalogue, json.loads(json.dumps(sent)), arrays) == made
    methods = {method.key for method in made.methods}
    assert {"RS", "RS-post", "BO-best", "BO-post", "EO-sqm", "EO-post", "EO-mse"} <= methods
    for method in made.methods:
        assert set(method.get_all_parts()) <= set(made.parts)
