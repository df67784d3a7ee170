"""Hostile inputs and faults by the thousand; one file a group, each case made from a seed."""
