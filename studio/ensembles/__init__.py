"""Ensembles: combination rules, losses, builders, diversity."""
