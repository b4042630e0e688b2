"""Random streams and distributions, reproducible and comparable with ns-3 draw by draw."""

from simcore.random.continuous import (
    Erlang,
    Exponential,
    Gamma,
    Laplacian,
    LargestExtremeValue,
    LogNormal,
    Normal,
    Pareto,
    Triangular,
    Uniform,
    Weibull,
)
from simcore.random.discrete import Bernoulli, Binomial, UniformInteger, Zeta, Zipf
from simcore.random.distribution import Distribution
from simcore.random.manager import RandomManager
from simcore.random.prescribed import Constant, Deterministic, Empirical, Sequential
from simcore.random.spec import parse_distribution
from simcore.random.stream import RandomStream

__all__ = [
    "Bernoulli",
    "Binomial",
    "Constant",
    "Deterministic",
    "Distribution",
    "Empirical",
    "Erlang",
    "Exponential",
    "Gamma",
    "Laplacian",
    "LargestExtremeValue",
    "LogNormal",
    "Normal",
    "Pareto",
    "RandomManager",
    "RandomStream",
    "Sequential",
    "Triangular",
    "Uniform",
    "UniformInteger",
    "Weibull",
    "Zeta",
    "Zipf",
    "parse_distribution",
]
