"""A process that computes the next suggestion while trials run.

It receives the run once, then every finished trial, and answers one query after another. A proposer
is a pure function of history and seed, so the engine itself would give the same suggestions.
"""

import contextlib
import os
import queue
import threading
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

from studio.arrays import AnyArray
from studio.runs.worker import redirect_pipes
from studio.system.processes import lower_priority, tie_to_parent

NICENESS = 2
"""Lower priority than the workers', as its result is needed later."""

Message = tuple[dict[str, Any], dict[str, AnyArray]]


def main(engine: int, proposers: str) -> None:
    """Serve queries until the engine has ended.

    Args:
        proposers: The module whose ``get_proposer`` returns the proposer for a run's settings and
            task.
    """
    requests, replies = redirect_pipes()
    tie_to_parent(engine)
    lower_priority(NICENESS)
    waiting: queue.SimpleQueue[Message] = queue.SimpleQueue()
    reader = threading.Thread(target=_read, args=(requests, waiting), daemon=True)
    reader.start()
    from studio.runs.messages import write_message

    server = SuggestionServer(*waiting.get(), proposers)
    while True:
        write_message(replies, server.handle_request(*waiting.get()))


def _read(stream: BinaryIO, waiting: "queue.SimpleQueue[Message]") -> None:
    from studio.runs.messages import MessageError, read_message

    try:
        with contextlib.suppress(OSError, MessageError):
            while (message := read_message(stream)) is not None:
                waiting.put(message)
    finally:
        # The engine has ended, or sent garbage: the result has no recipient.
        os._exit(0)


class SuggestionServer:
    """The run's state, and the proposer.

    Args:
        header, arrays: See :func:`studio.runs.suggesting.make_opening_message`.
        proposers: See :func:`main`.
    """

    def __init__(
        self, header: Mapping[str, Any], arrays: Mapping[str, AnyArray], proposers: str
    ) -> None:
        import importlib

        from studio.data.metrics.base import WeightedMetric
        from studio.data.metrics.registry import get_metric
        from studio.proposers.base import TableSize
        from studio.runs.settings import RunSettings
        from studio.space.space import Space
        from studio.trial import History

        settings, task = RunSettings.from_json(header["settings"]), header["task"]
        assert settings.metric is not None and settings.space is not None, "settled by now"
        self._proposer = importlib.import_module(proposers).get_proposer(settings, task)
        self._space = Space.from_json(settings.space)
        self._size = TableSize(**header["size"])
        metric = get_metric(settings.metric, task)
        truth, weights = arrays["truth"], arrays.get("weights")
        self._metric = metric if weights is None else WeightedMetric(metric, truth, weights)
        self._history = History(
            truth, int(header["n_classes"]), bool(header["comparable"]), weights
        )

    def handle_request(
        self, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]
    ) -> dict[str, Any]:
        """Add the finished trials and compute a suggestion.

        The arrays are the trials' predictions, shape (n, C) or (n,), by number.

        Returns:
            ``suggestion`` with its CPU seconds ``cpu``; or ``exhausted``, ``out_of_time`` or
            ``fault`` with the message.
        """
        from studio.errors import ExhaustedError, OutOfTimeError
        from studio.proposers.base import SuggestionContext
        from studio.trial import Trial

        for trial_json in header["trials"]:
            trial = Trial(**trial_json)
            self._history.append(trial, arrays.get(str(trial.number)))
        query = dict(header["asked"])
        search = SuggestionContext(
            space=self._space,
            history=self._history,
            metric=self._metric,
            size=self._size,
            **{**query, "pending": tuple(query["pending"])},
        )
        start = time.process_time()
        try:
            suggestion = self._proposer.suggest(search)
        except ExhaustedError as error:
            return {"exhausted": str(error)}
        except OutOfTimeError as error:
            return {"out_of_time": str(error)}
        except Exception as error:  # noqa: BLE001 - the engine asks again, and reports it in full
            return {"fault": f"{type(error).__name__}: {error}"}
        return {
            "suggestion": {
                "configuration": dict(suggestion.configuration),
                "origin": suggestion.origin,
                "details": dict(suggestion.details),
                "predicted": None if suggestion.predicted is None else list(suggestion.predicted),
                "seconds": suggestion.seconds,
                "limit": suggestion.limit,
            },
            "cpu": time.process_time() - start,
        }


def get_proposer(settings: Any, task: Any) -> Any:
    """Return the proposer of a run."""
    from studio.runs.compatible import compose_checked

    return compose_checked(settings, task, is_prepared=True).proposer
