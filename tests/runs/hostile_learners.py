"""Misbehaving learners that a pool of workers must survive."""

import ctypes
import mmap
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import numpy as np

from studio.learners.base import CLASSIFICATION, BuiltPipeline, Learner
from studio.learners.registry import REGISTRY as HONEST

PRELOADED = ("sklearn.neighbors", "sklearn.pipeline", "sklearn.preprocessing")
"""Needed by the well-behaved learner: loaded by a job, it would count as that job's leftover."""

KEPT = []


def raises():
    raise ValueError("the matrix is\nnot to my taste")


def hangs_in_c_with_the_gil():
    ctypes.PyDLL(None).sleep(600)


def ignores_every_signal_that_it_can():
    for number in range(1, 32):
        if number not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(0.01)


def exits():
    os._exit(3)


def exits_politely():
    sys.exit(0)


def interrupts():
    raise KeyboardInterrupt


def segfaults():
    ctypes.string_at(0)


def is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def eats_memory():
    while True:
        KEPT.append(np.ones(2**22))


def eats_shared_memory():
    while True:
        block = mmap.mmap(-1, 2**24)
        block.write(b"x" * 2**24)
        KEPT.append(block)


def lets_children_eat_memory():
    eat = "block = b'x' * (200 * 2**20); import time; time.sleep(600)"
    for _ in range(8):
        subprocess.Popen([sys.executable, "-c", eat])
    time.sleep(600)


def recurses():
    recurses()


def prints_a_gigabyte():
    for _ in range(1024):
        os.write(1, b"x" * 2**20)
        os.write(2, b"x" * 2**10)
    print("and in words")


def reads_its_input():
    assert sys.stdin.read() == ""


def starts_a_process():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def starts_a_runaway():
    """Start a detached process in a new session."""
    run = "import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); "
    subprocess.run([sys.executable, "-c", run + "time.sleep(600)"], check=True)


def starts_a_runaway_and_exits():
    starts_a_runaway()
    os._exit(0)


def starts_a_thread():
    threading.Thread(target=time.sleep, args=(600,)).start()


def forks_and_continues_in_both():
    os.fork()


def closes_every_file():
    os.closerange(0, 1000)


def scribbles_on_every_pipe():
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b"\0\0\0\5hello" + b"\xff" * 100)
        except OSError:
            continue


def write_to_pipes(text):
    """Send JSON through every pipe, framed like a worker's message."""
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, len(text).to_bytes(4, "big") + text)
        except OSError:
            continue


def says_deep_json():
    write_to_pipes(b"[" * 30_000)


def says_infinities():
    write_to_pipes(b'{"kind": "result", "job": 1e999, "peak": Infinity, "retire": NaN}')


def says_nothing_a_worker_says():
    write_to_pipes(b'{"kind": "result", "job": 0, "result": {"measured": {"fit_seconds": "long"}}}')


def keeps_memory():
    KEPT.append(np.ones(40 * 2**20))


def keeps_some_memory():
    KEPT.append(np.ones(15 * 2**20))


def sleeps_a_second():
    time.sleep(1.0)


def changes_global_state():
    os.chdir("/")
    os.umask(0o777)
    np.seterr(all="raise")
    sys.setrecursionlimit(100)


BEHAVIOURS = {
    function.__name__.replace("_", "-"): function
    for function in (
        raises,
        hangs_in_c_with_the_gil,
        ignores_every_signal_that_it_can,
        exits,
        exits_politely,
        interrupts,
        segfaults,
        is_killed,
        eats_memory,
        eats_shared_memory,
        lets_children_eat_memory,
        recurses,
        prints_a_gigabyte,
        reads_its_input,
        starts_a_process,
        starts_a_runaway,
        starts_a_runaway_and_exits,
        starts_a_thread,
        forks_and_continues_in_both,
        closes_every_file,
        scribbles_on_every_pipe,
        says_deep_json,
        says_infinities,
        says_nothing_a_worker_says,
        keeps_memory,
        keeps_some_memory,
        sleeps_a_second,
        changes_global_state,
    )
}

ANSWERS = {
    "gives-nan": lambda n: np.full((n, 2), np.nan),
    "gives-the-wrong-shape": lambda n: np.full((n + 1, 2), 0.5),
    "gives-too-many-classes": lambda n: np.full((n, 3), 1 / 3),
    "gives-no-probabilities": lambda n: np.full((n, 2), 7.0),
    "gives-negative-probabilities": lambda n: np.tile([1.5, -0.5], (n, 1)),
    "gives-words": lambda n: np.full((n, 2), "yes"),
    "gives-nothing": lambda n: None,
}


class MinimalPipeline:
    """A minimal pipeline with the methods used by a worker."""

    steps = ()

    def __init__(self, how):
        self.how = how

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.how in BEHAVIOURS:
            BEHAVIOURS[self.how]()
        return self

    def predict_proba(self, X):
        if self.how in ANSWERS:
            return ANSWERS[self.how](len(X))
        return np.full((len(X), 2), 0.5)


class NearestMeanClassifier(MinimalPipeline):
    """A well-behaved learner: nearest class mean."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means = np.stack([np.nanmean(X[y == code], axis=0) for code in self.classes_])
        return self

    def predict_proba(self, X):
        nearer = np.exp(-np.nansum((X[:, None] - self.means) ** 2, axis=2))
        return nearer / nearer.sum(axis=1, keepdims=True)


def _learner(how, made):
    @dataclass(frozen=True)
    class HostileLearner(Learner):
        key = how
        title = f"The learner that {how}"
        tasks = CLASSIFICATION

        def make_estimator(self, values, facts):
            return made(how)

        def build(self, values, facts, operators=()):
            return BuiltPipeline(self.make_estimator(values, facts), {})

    return HostileLearner


REGISTRY = (
    *HONEST,
    *(_learner(how, MinimalPipeline) for how in (*BEHAVIOURS, *ANSWERS)),
    _learner("well-behaved", NearestMeanClassifier),
)
