"""Task ``prior_covariance``: what a kernel holds comparable in a space, before any trial.

Asked with ``{"space": {…}, "kernel": "conditional", "n": 100, "seed": 0}``; everything but the
space may be left out.
"""

from typing import Any

import numpy as np

from studio.helper.registry import Answer

MOST = 400
"""Configurations drawn at most: more cannot be told apart on a screen."""


def run(arguments: dict[str, Any]) -> Answer:
    """Draw configurations of a space and compare all pairs (thesis figures 5.2, 5.3, 5.5).

    Parameters
    ----------
    arguments : dict
        space : JSON of :meth:`studio.space.space.Space.to_json`;
        kernel : key of a kernel (default "conditional");
        n : configurations, 1 to 400 (default 100); seed : of their draw (default 0);
        length : length scale of every dimension as a share of its range (default 0.5);
        imputation : what fills inactive coordinates: "middle" (default), "default" or "none";
        encoding : "index" (default) or "one-hot"; trees : partitions of the Mondrian kernels (30).

    Returns
    -------
    dict
        kernel, summary, reference : what the kernel is, for people; branches : n names in the
        order of the matrix ("" where the space has no branches); configurations : n dicts, in
        the same order, for read-outs; reason : why there is no matrix (an invalid space), or "".
    arrays
        matrix (n, n), correlations in [0, 1]; conditions (n,), one number a condition group,
        0, 1, … from the first: a step is where a group ends; order (n,), the draw's numbers.
    """
    from studio.errors import SpaceError
    from studio.space.space import Space
    from studio.surrogates.covariance import prior_covariance
    from studio.surrogates.gp import GaussianProcess

    surrogate = GaussianProcess(
        kernel=str(arguments.get("kernel", "conditional")),
        trees=int(arguments.get("trees", 30)),
        imputation=str(arguments.get("imputation", "middle")),
        encoding=str(arguments.get("encoding", "index")),
    )
    kernel = surrogate.comparing()
    words = {"kernel": kernel.title, "summary": kernel.summary, "reference": kernel.reference}
    space = Space.from_json(arguments["space"])
    try:
        space.check()
    except SpaceError as error:
        empty = {"matrix": np.empty((0, 0)), "conditions": np.empty(0, dtype=np.int64)}
        nothing = {"branches": [], "configurations": [], "reason": str(error)}
        return {**words, **nothing}, {**empty, "order": np.empty(0, dtype=np.int64)}
    found = prior_covariance(
        space,
        surrogate,
        n=min(max(int(arguments.get("n", 100)), 1), MOST),
        seed=int(arguments.get("seed", 0)),
        length=float(arguments.get("length", 0.5)),
    )
    return {
        **words,
        "branches": list(found.sorting.branches),
        "configurations": [dict(each) for each in found.configurations],
        "reason": "",
    }, {
        "matrix": found.matrix,
        "conditions": found.sorting.conditions,
        "order": found.sorting.order,
    }
