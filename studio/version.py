"""Version and system-wide name of Ensemble Studio, each stated once."""

VERSION = "0.3.0"

APPLICATION_ID = "io.github.ensemblestudio.Studio"
"""Of its menu entry, its icon, its document type, its pages in shops."""
