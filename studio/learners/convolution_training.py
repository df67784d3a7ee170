"""Training of a small convolutional network with PyTorch (EO 4.3).

What is handed over consists of objects of PyTorch and scikit-learn alone: the network as a step
that turns pixels into a number for each class, and after it a logistic regression whose weights are
the identity, so that it does nothing but the softmax. Such a pickle loads wherever PyTorch is
installed; it needs nothing of this package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.handover import Handover
from studio.learners.softmax import softmax_of

BATCH = 64
"""Rows of a step of gradient descent."""

MOMENTUM = 0.9


@dataclass
class ConvolutionTraining(Handover):
    """Trains the network by gradient descent with momentum.

    Two blocks of convolution (5×5), rectifier, pooling (3×3, every second pixel) and local
    response normalisation x / (1 + scale/size Σ x²)^power over neighbouring channels, then one
    linear layer: the layers of the network that EO tunes, with two blocks in place of three,
    because small images have no room for more.

    Attributes:
        side: Pixels of an image's edge; at least 4.
        channels: Of the two blocks.
        rates, decays: Learning rate and weight decay of the convolutions and of the softmax layer.
        size: Channels over which responses are normalised.
        power, scale: Of that normalisation.
        epochs: Passes over the rows.
        seed: Of the weights that training begins with, and of the order of the rows.
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
                network = self._network(torch, classes.size)
                self._descend(torch, network, X, codes, weights / weights.mean())
        finally:
            torch.set_num_threads(threads)
        return _plain(torch, network.eval().requires_grad_(False), classes)

    def _network(self, torch: Any, n_classes: int) -> Any:
        from torch import nn

        layers: list[Any] = [nn.Unflatten(1, (1, self.side, self.side))]
        inputs, edge = 1, self.side
        for outputs in self.channels:
            layers += [
                nn.Conv2d(inputs, outputs, 5, padding=2),
                nn.ReLU(),
                nn.MaxPool2d(3, stride=2, padding=1),
                nn.LocalResponseNorm(self.size, alpha=self.scale, beta=self.power, k=1.0),
            ]
            inputs, edge = outputs, (edge + 1) // 2
        return nn.Sequential(*layers, nn.Flatten(), nn.Linear(inputs * edge * edge, n_classes))

    def _descend(
        self, torch: Any, network: Any, X: Floats, codes: AnyArray, weights: Floats
    ) -> None:
        rows = torch.as_tensor(np.ascontiguousarray(X, dtype=np.float32))
        truth = torch.as_tensor(np.asarray(codes, dtype=np.int64))
        counts = torch.as_tensor(np.asarray(weights, dtype=np.float32))
        descent = torch.optim.SGD(
            [
                {
                    "params": list(network[:-1].parameters()),
                    "lr": self.rates[0],
                    "weight_decay": self.decays[0],
                },
                {
                    "params": list(network[-1].parameters()),
                    "lr": self.rates[1],
                    "weight_decay": self.decays[1],
                },
            ],
            momentum=MOMENTUM,
        )
        loss = torch.nn.CrossEntropyLoss(reduction="none")
        for _ in range(self.epochs):
            for batch in torch.randperm(len(rows)).split(BATCH):
                descent.zero_grad()
                (loss(network(rows[batch]), truth[batch]) * counts[batch]).mean().backward()
                descent.step()


def _plain(torch: Any, network: Any, classes: AnyArray) -> Any:
    """Return a fitted pipeline of the network and a softmax over classes, shape (C,)."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    return Pipeline(
        [
            ("floats", FunctionTransformer(torch.as_tensor, kw_args={"dtype": torch.float32})),
            ("network", FunctionTransformer(network)),
            ("numbers", FunctionTransformer(np.asarray, kw_args={"dtype": np.float64})),
            ("softmax", softmax_of(classes)),
        ]
    )
