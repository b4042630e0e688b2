from simcore.models.ndn.name import Name

def first_of(pair: tuple[Name, object]) -> Name: ...

class PrefixTable:
    size: int
    def __len__(self) -> int: ...
