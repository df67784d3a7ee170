import numpy as np

from studio.space.compiled import AxisScales
from studio.space.ranges import Float, Integer


def scales() -> AxisScales:
    parameters = [Float("x", -3, 7), Float("C", 1e-5, 1e5, True), Integer("n", 1, 4)]
    return AxisScales([axis for p in parameters if (axis := p.make_axis())])


def test_unit_interval_bounds_map_to_range_bounds():
    ends = scales().to_numbers(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    assert ends.tolist() == [[-3.0, 1e-5, 1.0], [7.0, 1e5, 4.0]]


def test_coordinates_outside_range_are_clipped():
    assert scales().to_numbers(np.array([[-5.0, 9.0, 9.0]])).tolist() == [[-3.0, 1e5, 4.0]]


def test_conversion_between_numbers_and_units_is_invertible():
    X = scales().to_numbers(np.random.default_rng(0).random((500, 3)))
    assert np.array_equal(scales().to_numbers(scales().to_units(X)), X)


def test_zero_has_no_negative_sign():
    X = scales().to_numbers(scales().to_units(np.array([[-0.0, 1.0, 1.0]])))
    assert not np.signbit(X).any()
    assert not np.signbit(scales().to_units(np.array([[-3.0, 1e-5, 1.0]]))).any()


def test_columns_of_scales_can_be_repeated():
    repeated_scales = scales().take(np.array([2, 0, 2]))
    assert repeated_scales.to_numbers(np.array([[0.0, 0.5, 1.0]])).tolist() == [[1.0, 2.0, 4.0]]


def test_scales_do_not_modify_input():
    U = np.full((2, 3), 0.3)
    scales().to_units(scales().to_numbers(U))
    assert (U == 0.3).all()
