"""All live plots, in the order of the Live page. A new plot is one file and one line here."""

from studio.gui.plots.algorithms import AlgorithmsPlot
from studio.gui.plots.base import Plot
from studio.gui.plots.calibration import CalibrationPlot
from studio.gui.plots.column_effects import ColumnsPlot
from studio.gui.plots.covariance import CovariancePlot
from studio.gui.plots.diversity import DiversityPlot
from studio.gui.plots.errors import ErrorsPlot
from studio.gui.plots.importance import ImportancePlot
from studio.gui.plots.losses import LossesPlot
from studio.gui.plots.membership import MembershipPlot
from studio.gui.plots.objective import ObjectivePlot
from studio.gui.plots.parallel import ParallelPlot
from studio.gui.plots.progress import ProgressPlot
from studio.gui.plots.resources import ResourcesPlot
from studio.gui.plots.search_diversity import SearchDiversityPlot
from studio.gui.plots.slice import SlicePlot
from studio.gui.plots.surrogate_map import SurrogateMapPlot

REGISTRY: tuple[type[Plot], ...] = (
    ProgressPlot,
    ErrorsPlot,
    ColumnsPlot,
    SlicePlot,
    SurrogateMapPlot,
    ImportancePlot,
    CalibrationPlot,
    CovariancePlot,
    SearchDiversityPlot,
    AlgorithmsPlot,
    ParallelPlot,
    MembershipPlot,
    DiversityPlot,
    ObjectivePlot,
    LossesPlot,
    ResourcesPlot,
)
