from simcore.models.network.node import Node
from simcore.models.wifi.phy.error_rate import ErrorRateModel
from simcore.models.wifi.phy.radio import Radio, SignalSink
from simcore.random import RandomStream

class WifiPhy(Radio):
    def __init__(
        self,
        node: Node,
        channel: SignalSink,
        standard: str = "802.11b",
        *,
        band: float | None = None,
        width: int | None = None,
        channel_number: int | None = None,
        primary20: int = 0,
        antennas: int = 1,
        max_streams: int | None = None,
        tx_power: float = 16.0206,
        rx_sensitivity: float = -101.0,
        noise_figure: float = 7.0,
        cca_sensitivity: float = -82.0,
        cca_energy: float = -62.0,
        preamble_min_power: float = -82.0,
        preamble_min_snr: float = 4.0,
        capture_margin: float | None = None,
        capture_window: int | None = None,
        flat_spectrum: bool = False,
        switch_delay: int = 250_000,
        error_model: ErrorRateModel | None = None,
        stream: RandomStream | None = None,
    ) -> None: ...
