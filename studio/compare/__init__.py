"""Methods against each other: data sets × methods × repetitions on the same splits, with tests."""
