"""The diagrams of a study as shapes, drawn by the window and written as SVG: see ``registry``."""
