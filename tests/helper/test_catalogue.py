"""The catalogue task."""

import json

from studio.helper.answers import decode, encode
from studio.helper.methods import Catalogue, make_catalogue


def test_catalogue_is_complete_and_round_trips() -> None:
    catalogue = make_catalogue()
    encoded_catalogue, arrays = encode(catalogue)
    assert decode(Catalogue, json.loads(json.dumps(encoded_catalogue)), arrays) == catalogue
    methods = {method.key for method in catalogue.methods}
    assert {"RS", "RS-post", "BO-best", "BO-post", "EO-sqm", "EO-post", "EO-mse"} <= methods
    for method in catalogue.methods:
        assert set(method.get_all_parts()) <= set(catalogue.parts)
