"""Statistics of a simulation: counters, tallies, time averages, histograms, intervals."""

from simcore.stats.collectors import Counter, Tally, TimeWeighted
from simcore.stats.histogram import HdrHistogram
from simcore.stats.intervals import (
    ConfidenceInterval,
    batch_means,
    confidence_interval,
    student_quantile,
)

__all__ = [
    "ConfidenceInterval",
    "Counter",
    "HdrHistogram",
    "Tally",
    "TimeWeighted",
    "batch_means",
    "confidence_interval",
    "student_quantile",
]
