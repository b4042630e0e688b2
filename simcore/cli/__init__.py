"""The ``simcore`` command: a thin layer over :class:`simcore.Scenario`.

argparse and not typer reads the command line: the options of ``run`` are the parameters of a
scenario that is only known once its name was read, and argparse (10 ms to import, typer 70 ms)
builds such a parser directly. One mechanism serves all commands.
"""
