"""Version and system-wide name of Ensemble Studio, each stated once."""

VERSION = "0.3.0"

APPLICATION_ID = "io.github.ensemblestudio.Studio"
"""Name of its menu entry, icon, document type, and pages in app stores."""
