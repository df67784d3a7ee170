import numpy as np

from studio.learners.svm import KernelSvm, LinearSvr, RbfSvm, RbfSvr


def test_width_is_converted_to_gamma(table_of, trained):
    X, y, categorical = table_of("binary", "plain")
    pipeline = trained(RbfSvm(), "binary", X, y, categorical, width=2.0, C=3.0)
    machine = pipeline.estimator.named_steps["learner"]
    assert (machine.gamma, machine.C) == (0.125, 3.0)


def test_kernel_svm_with_rbf_equals_rbf_svm(table_of, trained):
    X, y, categorical = table_of("multiclass", "plain")
    one = trained(RbfSvm(), "multiclass", X, y, categorical, width=1.0)
    other = trained(KernelSvm(), "multiclass", X, y, categorical, width=1.0, kernel="rbf")
    assert np.array_equal(one.estimator.predict(X), other.estimator.predict(X))


def test_svm_regression_is_invariant_to_target_unit(table_of, trained):
    X, y, categorical = table_of("regression", "plain")
    for learner in (RbfSvr(), LinearSvr()):
        metres = trained(learner, "regression", X, y, categorical).estimator.predict(X)
        nanometres = trained(learner, "regression", X, 1e9 * y, categorical).estimator.predict(X)
        assert np.allclose(nanometres, 1e9 * metres, rtol=1e-3)
