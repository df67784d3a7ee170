"""Registry of live plots, in page order. A new plot is one file and one line in this module."""

from studio.gui.plots.base.plot import Plot
from studio.gui.plots.ensemble.diversity import DiversityPlot
from studio.gui.plots.ensemble.losses import LossesPlot
from studio.gui.plots.ensemble.membership import MembershipPlot
from studio.gui.plots.ensemble.objective import ObjectivePlot
from studio.gui.plots.quality.errors import ErrorsPlot
from studio.gui.plots.quality.progress import ProgressPlot
from studio.gui.plots.search.algorithms import AlgorithmsPlot
from studio.gui.plots.search.calibration import CalibrationPlot
from studio.gui.plots.search.importance import ImportancePlot
from studio.gui.plots.search.parallel import ParallelPlot
from studio.gui.plots.search.search_diversity import SearchDiversityPlot
from studio.gui.plots.search.slice import SlicePlot
from studio.gui.plots.search.surrogate_map import SurrogateMapPlot
from studio.gui.plots.work.resources import ResourcesPlot
from studio.questions.columns.view import ColumnsPlot

REGISTRY: tuple[type[Plot], ...] = (
    ProgressPlot,
    ErrorsPlot,
    ColumnsPlot,
    SlicePlot,
    SurrogateMapPlot,
    ImportancePlot,
    CalibrationPlot,
    SearchDiversityPlot,
    AlgorithmsPlot,
    ParallelPlot,
    MembershipPlot,
    DiversityPlot,
    ObjectivePlot,
    LossesPlot,
    ResourcesPlot,
)
