"""Ensembles: combination rules, losses of ensembles, builders over a pool, diversity."""
