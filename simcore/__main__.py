"""``python -m simcore`` is the ``simcore`` command."""

from simcore.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
