from simcore.models.dsr.default_flow_table import DefaultFlowTable
from simcore.models.dsr.flow_table import FlowTable
from simcore.models.dsr.maintenance import RouteMaintenance
from simcore.models.dsr.shortening_table import ShorteningTable

class FlowMaintenance(RouteMaintenance):
    @property
    def flow_table(self) -> FlowTable | None: ...
    @property
    def default_flows(self) -> DefaultFlowTable | None: ...
    @property
    def shortening_table(self) -> ShorteningTable | None: ...
