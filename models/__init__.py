"""Network models, one folder per technology; imported as ``simcore.models``."""
