from typing import final

@final
class LinePrefix:
    def __init__(self, letter: str, path: str) -> None: ...

@final
class LineBatch:
    def __init__(self) -> None: ...
