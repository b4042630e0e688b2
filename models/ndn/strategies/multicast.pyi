from simcore.models.ndn.forwarder import Strategy
from simcore.models.ndn.retx_suppression import RetxSuppression

class Multicast(Strategy):
    suppression: RetxSuppression
