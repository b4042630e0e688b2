from simcore.trace.source import TraceSource

class StateLog:
    def __init__(self, source: TraceSource) -> None: ...
