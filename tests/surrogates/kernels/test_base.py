import pytest

from studio.surrogates.kernels.base import Gram, Kernel


def test_a_kernel_must_say_how_it_compares():
    with pytest.raises(TypeError, match="abstract"):
        Kernel()
    with pytest.raises(TypeError, match="abstract"):
        Gram()
