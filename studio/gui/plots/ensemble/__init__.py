"""Plots of the ensemble: membership, diversity, objective, losses."""
