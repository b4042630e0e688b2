"""Propagation loss and delay."""

from simcore.models.propagation.delay import (
    ConstantSpeedDelay,
    PropagationDelayModel,
    RandomDelay,
)
from simcore.models.propagation.fading import NakagamiLoss, RandomLoss
from simcore.models.propagation.loss import PropagationLossModel
from simcore.models.propagation.path_loss import (
    FriisLoss,
    LogDistanceLoss,
    RangeLoss,
    ThreeLogDistanceLoss,
    TwoRayGroundLoss,
)
from simcore.models.propagation.prescribed import FixedRssLoss, MatrixLoss
from simcore.models.propagation.threegpp import (
    ThreeGppIndoorLoss,
    ThreeGppRmaLoss,
    ThreeGppUmaLoss,
    ThreeGppUmiLoss,
)
from simcore.models.propagation.urban import (
    Cost231Loss,
    ItuR1411LosLoss,
    ItuR1411NlosOverRooftopLoss,
    Kun2600MhzLoss,
    OkumuraHataLoss,
)

__all__ = [
    "ConstantSpeedDelay",
    "Cost231Loss",
    "FixedRssLoss",
    "FriisLoss",
    "ItuR1411LosLoss",
    "ItuR1411NlosOverRooftopLoss",
    "Kun2600MhzLoss",
    "LogDistanceLoss",
    "MatrixLoss",
    "NakagamiLoss",
    "OkumuraHataLoss",
    "PropagationDelayModel",
    "PropagationLossModel",
    "RandomDelay",
    "RandomLoss",
    "RangeLoss",
    "ThreeGppIndoorLoss",
    "ThreeGppRmaLoss",
    "ThreeGppUmaLoss",
    "ThreeGppUmiLoss",
    "ThreeLogDistanceLoss",
    "TwoRayGroundLoss",
]
