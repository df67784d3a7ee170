import pytest

from studio.surrogates.kernels.base import Gram, Kernel


def test_kernel_base_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Kernel()
    with pytest.raises(TypeError, match="abstract"):
        Gram()
