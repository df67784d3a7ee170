from studio.surrogates.gp import GaussianProcess
from studio.surrogates.kernels.registry import REGISTRY


def test_every_kernel_has_key_and_description():
    assert len({kernel.key for kernel in REGISTRY}) == len(REGISTRY)
    for kernel in REGISTRY:
        assert kernel.key
        assert kernel.title
        assert kernel.reference
        assert kernel.summary.endswith(".")


def test_gaussian_process_offers_every_kernel():
    (kernel,) = [option for option in GaussianProcess.list_options() if option.name == "kernel"]
    assert set(kernel.choices) == {kernel.key for kernel in REGISTRY}
