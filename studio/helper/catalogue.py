"""Task ``catalogue``: everything that can be chosen, as the window's forms read it."""

from typing import Any


def catalogue() -> dict[str, Any]:
    """Return methods, their parts, metrics, learners and shipped spaces.

    Returns
    -------
    dict
        methods: presets as JSON; absent: those whose library is not installed; parts: room →
        declarations; composition: the rules by which parts are composed; metrics:
        declarations with tasks and unit; defaults: task → metric key; learners: key, title, tasks,
        hyperparameters;
        spaces: key, title, summary, tasks.
    """
    from studio.data.metrics.registry import REGISTRY as METRICS
    from studio.data.metrics.registry import default_for
    from studio.data.tasks import TASKS
    from studio.learners.registry import REGISTRY as LEARNERS
    from studio.proposers.catalogue import absent, composition, methods, parts
    from studio.space.library import shipped

    return {
        "methods": methods(),
        "absent": absent(),
        "parts": parts(),
        "composition": composition(),
        "metrics": [
            {**metric.declaration(), "tasks": list(metric.tasks), "unit": metric.unit}
            for metric in METRICS
        ],
        "defaults": {task: default_for(task).key for task in TASKS},
        "learners": [
            {
                **learner.declaration(),
                "tasks": list(learner.tasks),
                "hyperparameters": list(learner.hyperparameters),
            }
            for learner in LEARNERS
        ],
        "spaces": [
            {
                "key": each.key,
                "title": each.title,
                "summary": each.summary,
                "tasks": list(each.tasks),
            }
            for each in shipped()
        ],
    }
