"""All live plots, in the order of the Live page. A new plot is one file and one line here."""

from studio.gui.plots.base import Plot
from studio.gui.plots.diversity import DiversityPlot
from studio.gui.plots.membership import MembershipPlot
from studio.gui.plots.progress import ProgressPlot
from studio.gui.plots.slice import SlicePlot

REGISTRY: tuple[type[Plot], ...] = (ProgressPlot, SlicePlot, MembershipPlot, DiversityPlot)
