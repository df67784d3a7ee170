"""Plots of what is in the ensemble: membership, diversity, objective, losses."""
