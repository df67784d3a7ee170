"""Comparison of methods: data sets × methods × repetitions on the same splits, with tests."""
