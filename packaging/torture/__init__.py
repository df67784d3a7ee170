"""Thousands of hostile inputs and faults; one file per group, each case made from a seed."""
