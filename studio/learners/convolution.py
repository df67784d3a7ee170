"""The convolutional network of EO 4.3, for tables of pixels; needs the optional PyTorch."""

import math
from dataclasses import dataclass
from typing import Any

from studio.errors import LearnerError
from studio.learners.base import CLASSIFICATION, Learner, Library
from studio.learners.convolution_training import ConvolutionTraining
from studio.learners.domains import Positive, Whole, settings
from studio.learners.facts import TableFacts
from studio.learners.values import Values
from studio.phrases import phrase

SMALLEST_SIDE = 4
"""Pixels of the smallest image's edge."""


@dataclass(frozen=True)
class ConvolutionalNetwork(Learner):
    """A small convolutional network of square images with one value for each pixel.

    The columns are the pixels, row by row. PyTorch is needed for training, and for loading the
    pickle, too.
    """

    key = "cnn"
    title = "Convolutional network"
    noun = "a convolutional network"
    short = "Convolutional"
    place = 2
    summary = (
        "Looks for small patterns anywhere in square images whose pixels are the columns. "
        "Needs PyTorch to be installed, also where its pickle is loaded."
    )
    reference = "EO 4.3"
    tasks = CLASSIFICATION
    weighted = True
    needs = Library("PyTorch", "torch", "cnn")
    hyperparameters = settings(
        convolution_rate=Positive(),
        softmax_rate=Positive(),
        convolution_decay=Positive(),
        softmax_decay=Positive(),
        response_size=Whole(),
        response_power=Positive(),
        response_scale=Positive(),
        channels=Whole(),
        epochs=Whole(),
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return the training of the network.

        Raises:
            LearnerError: If the columns do not form a square image.
        """
        side = math.isqrt(facts.n_columns)
        if facts.categorical.any() or side**2 != facts.n_columns or side < SMALLEST_SIDE:
            found = phrase("{n_columns} columns", n_columns=facts.n_columns)
            if facts.categorical.any():
                n_categories = int(facts.categorical.sum())
                found = phrase("{n_columns} columns of categories", n_columns=n_categories)
            raise LearnerError(
                "The convolutional network needs a table whose columns are the pixels of square "
                "images, 16 (4 by 4), 25, 36 and so on, all numbers; this one has {found}. "
                "Pixels of one value only are ignored unless they are given the role of a "
                "feature (--role NAME=feature). Do that, leave out what is not a pixel, or "
                "choose another space.",
                found=found,
            )
        channels = values.whole("channels", 16)
        return ConvolutionTraining(
            side=side,
            channels=(channels, channels),
            rates=(values.number("convolution_rate", 0.01), values.number("softmax_rate", 0.01)),
            decays=(
                values.number("convolution_decay", 1e-4),
                values.number("softmax_decay", 1e-3),
            ),
            size=values.whole("response_size", 3, high=channels),
            power=values.number("response_power", 0.75),
            scale=values.number("response_scale", 1e-3),
            epochs=values.whole("epochs", 30),
            seed=facts.seed,
        )
