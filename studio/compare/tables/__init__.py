"""Tables of a study, one file each, for all output formats: see ``registry``."""
