"""Benchmarks of performance-critical parts (tests never measure time), and simulations."""
