"""The convolutional network of EO 4.3, for tables of pixels; requires PyTorch (optional)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.errors import LearnerError
from studio.learners.base import CLASSIFICATION, Learner, LibraryDependency
from studio.learners.domains import LowerBoundedInteger, Positive, make_settings
from studio.learners.facts import TableFacts
from studio.learners.self_replacing_steps import SelfReplacingStep, make_softmax
from studio.learners.values import LearnerValues
from studio.phrases import count_phrase

_BATCH = 64
"""Rows per step of gradient descent."""

_MOMENTUM = 0.9


@dataclass
class _ConvolutionTraining(SelfReplacingStep):
    """Trains the network by gradient descent with momentum.

    Two blocks of convolution (5×5), rectifier, pooling (3×3, every second pixel) and local
    response normalisation x / (1 + scale/size Σ x²)^power over neighbouring channels, then one
    linear layer: the layers of the network that EO tunes, with two blocks instead of three, as
    images are small.

    Attributes:
        side: Edge of an image in pixels; at least 4.
        rates, decays: Learning rate and weight decay of the convolutions and of the softmax layer.
        size: Channels over which responses are normalised.
        power, scale: Exponent and factor of that normalisation.
    """

    side: int
    channels: Sequence[int]
    rates: tuple[float, float]
    decays: tuple[float, float]
    size: int
    power: float
    scale: float
    epochs: int
    seed: int

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Minimise the mean negative log likelihood on X of shape (n, side²), y of shape (n,)."""
        import torch

        classes, codes = np.unique(y, return_inverse=True)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self.seed)
                network = self._build_network(torch, classes.size)
                self._take_gradient_step(torch, network, X, codes, weights / weights.mean())
        finally:
            torch.set_num_threads(threads)
        return _build_plain_pipeline(torch, network.eval().requires_grad_(False), classes)

    def _build_network(self, torch: Any, n_classes: int) -> Any:
        from torch import nn

        layers: list[Any] = [nn.Unflatten(1, (1, self.side, self.side))]
        inputs, side_length = 1, self.side
        for outputs in self.channels:
            layers += [
                nn.Conv2d(inputs, outputs, 5, padding=2),
                nn.ReLU(),
                nn.MaxPool2d(3, stride=2, padding=1),
                nn.LocalResponseNorm(self.size, alpha=self.scale, beta=self.power, k=1.0),
            ]
            inputs, side_length = outputs, (side_length + 1) // 2
        return nn.Sequential(
            *layers, nn.Flatten(), nn.Linear(inputs * side_length * side_length, n_classes)
        )

    def _take_gradient_step(
        self, torch: Any, network: Any, X: Floats, codes: AnyArray, weights: Floats
    ) -> None:
        rows = torch.as_tensor(np.ascontiguousarray(X, dtype=np.float32))
        truth = torch.as_tensor(np.asarray(codes, dtype=np.int64))
        counts = torch.as_tensor(np.asarray(weights, dtype=np.float32))
        parts = zip((network[:-1], network[-1]), self.rates, self.decays, strict=True)
        groups = [
            {"params": list(part.parameters()), "lr": rate, "weight_decay": decay}
            for part, rate, decay in parts
        ]
        descent = torch.optim.SGD(groups, momentum=_MOMENTUM)
        loss = torch.nn.CrossEntropyLoss(reduction="none")
        for _ in range(self.epochs):
            for batch in torch.randperm(len(rows)).split(_BATCH):
                descent.zero_grad()
                (loss(network(rows[batch]), truth[batch]) * counts[batch]).mean().backward()
                descent.step()


def _build_plain_pipeline(torch: Any, network: Any, classes: AnyArray) -> Any:
    """Return a fitted pipeline of the network and a softmax over classes, shape (C,)."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    return Pipeline(
        [
            ("floats", FunctionTransformer(torch.as_tensor, kw_args={"dtype": torch.float32})),
            ("network", FunctionTransformer(network)),
            ("numbers", FunctionTransformer(np.asarray, kw_args={"dtype": np.float64})),
            ("softmax", make_softmax(classes)),
        ]
    )


MIN_SIDE = 4
"""Minimum edge of an image, in pixels."""


@dataclass(frozen=True)
class ConvolutionalNetwork(Learner):
    """A small convolutional network of square images with one value for each pixel.

    The columns are the pixels, row by row. PyTorch is needed both for training and for loading the
    pickle.
    """

    key = "cnn"
    title = "Convolutional network"
    noun = "a convolutional network"
    short_name = "Convolutional"
    colour_index = 2
    summary = (
        "Looks for small patterns anywhere in square images whose pixels are the columns. Needs "
        "PyTorch to be installed, including where its pickle is loaded."
    )
    reference = "EO 4.3"
    tasks = CLASSIFICATION
    required_library = LibraryDependency("PyTorch", "torch", "cnn")
    hyperparameters = make_settings(
        convolution_rate=Positive(),
        softmax_rate=Positive(),
        convolution_decay=Positive(),
        softmax_decay=Positive(),
        response_size=LowerBoundedInteger(),
        response_power=Positive(),
        response_scale=Positive(),
        channels=LowerBoundedInteger(),
        epochs=LowerBoundedInteger(),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return an estimator that trains the network; LearnerError without a square image."""
        side = math.isqrt(facts.n_columns)
        if facts.categorical.any() or side**2 != facts.n_columns or side < MIN_SIDE:
            actual = count_phrase("1 column", "{count:,} columns", facts.n_columns)
            if facts.categorical.any():
                actual = count_phrase(
                    "1 column of categories",
                    "{count:,} columns of categories",
                    int(facts.categorical.sum()),
                )
            raise LearnerError(
                "The convolutional network needs a table whose columns are the pixels of square "
                "images, 16 (4 by 4), 25, 36 and so on, all numbers; this one has {found}. "
                "Pixels of one value only are ignored unless they are given the role of a "
                "feature (--role NAME=feature). Do that, leave out what is not a pixel, or "
                "choose another space.",
                found=actual,
            )
        channels = values.get_integer("channels", 16)
        return _ConvolutionTraining(
            side=side,
            channels=(channels, channels),
            rates=(
                values.get_number("convolution_rate", 0.01),
                values.get_number("softmax_rate", 0.01),
            ),
            decays=(
                values.get_number("convolution_decay", 1e-4),
                values.get_number("softmax_decay", 1e-3),
            ),
            size=values.get_integer("response_size", 3, high=channels),
            power=values.get_number("response_power", 0.75),
            scale=values.get_number("response_scale", 1e-3),
            epochs=values.get_integer("epochs", 30),
            seed=facts.seed,
        )
