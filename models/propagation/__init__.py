"""Propagation loss and delay."""

from simcore.models.propagation.delay import ConstantSpeedDelay, PropagationDelayModel
from simcore.models.propagation.loss import PropagationLossModel
from simcore.models.propagation.path_loss import FriisLoss, LogDistanceLoss, RangeLoss

__all__ = [
    "ConstantSpeedDelay",
    "FriisLoss",
    "LogDistanceLoss",
    "PropagationDelayModel",
    "PropagationLossModel",
    "RangeLoss",
]
