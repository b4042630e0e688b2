from typing import final

@final
class Outstanding:
    sent: int
    due: int
    def __len__(self) -> int: ...
    def sequences(self) -> list[int]: ...
