"""Management of a forwarder by programs, in NFD's protocol."""

from simcore.models.ndn.management.control import ControlParameters, ControlResponse
from simcore.models.ndn.management.faces import FaceError
from simcore.models.ndn.management.manager import Management

__all__ = ["ControlParameters", "ControlResponse", "FaceError", "Management"]
