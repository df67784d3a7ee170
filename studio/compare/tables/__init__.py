"""The tables of a study, one file each, that every way of showing them takes: see ``registry``."""
