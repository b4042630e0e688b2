"""``simcore run``: one scenario with parameters from the command line."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from simcore.cli.discover import load
from simcore.cli.errors import (
    DONE,
    FAILED,
    INTERRUPTED,
    Parser,
    Terminated,
    UsageError,
    did_you_mean,
    say,
)
from simcore.parameters import Parameter, ParameterError
from simcore.results import MANIFEST_FILE, Results
from simcore.scenario import TRACE_KINDS, Scenario, writable_folder
from simcore.units import parse_time

__all__ = ["main"]

USAGE_LINE = (
    "simcore run NAME|SCRIPT.py[:CLASS] [--PARAM VALUE ...] [--seed N] [--run N] [--until 600s]\n"
    "                   [--out DIR] [--trace ascii|pcap|table ...] [--json] [--quiet]\n"
    "                   [--profile [FILE.html]]"
)
SCHEDULERS = ("heap", "radix", "sorted")
#: Names that options of the command itself take; no parameter can be set under them.
RESERVED = ("help", "seed", "run", "until", "out", "trace", "json", "quiet", "profile", "scheduler")


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    arguments = _join_negative_values(arguments)
    first = _common_options(Parser(prog="simcore run", add_help=False))
    first.add_argument("target", nargs="?")
    first.add_argument("-h", "--help", action="store_true")
    known, _ = first.parse_known_args(arguments)
    if known.target is None:
        if known.help:
            print(_general_help())
            return DONE
        raise UsageError(f"no scenario named: simcore run NAME, or see 'simcore list'\n{_usage()}")
    try:
        scenario_class = load(known.target)
        parameters = scenario_class.parameters()
    except (UsageError, KeyboardInterrupt):
        raise
    except SystemExit as left:
        raise UsageError(
            f"{known.target} left the process while it was loaded (SystemExit: {left.code!r});"
            " a script must only define its scenario, or guard the rest by"
            " if __name__ == '__main__'"
        ) from None
    except Exception:
        traceback.print_exc()
        say(f"{known.target} could not be loaded")
        return FAILED
    parser = _scenario_parser(known.target, scenario_class)
    if known.help:
        print(parser.format_help(), end="")
        return DONE
    options, unknown = parser.parse_known_args(arguments)
    _refuse_unknown(unknown, parameters, scenario_class)
    values = {
        name: getattr(options, f"param:{name}")
        for name in parameters
        if getattr(options, f"param:{name}", None) is not None
    }
    try:
        scenario = scenario_class.from_parameters(values)
    except ParameterError as error:
        raise UsageError(f"option --{error.parameter.replace('_', '-')}: {error}") from None
    return _run(scenario, options)


def _usage() -> str:
    return f"usage: {USAGE_LINE}"


def _general_help() -> str:
    parser = _common_options(
        Parser(
            prog="simcore run",
            usage=USAGE_LINE,
            description="Run a scenario and print its results.",
            epilog="'simcore run NAME --help' lists the scenario's parameters.",
        )
    )
    return parser.format_help().rstrip()


def _join_negative_values(arguments: Sequence[str]) -> list[str]:
    """Write "--pause -5s" as "--pause=-5s", which argparse would take for an option."""
    joined: list[str] = []
    for argument in arguments:
        previous = joined[-1] if joined else ""
        negative = re.match(r"-\.?[0-9]|-(inf|nan)", argument)
        if negative and previous.startswith("--") and "=" not in previous:
            joined[-1] = f"{previous}={argument}"
        else:
            joined.append(argument)
    return joined


def _common_options(parser: Parser) -> Parser:
    group = parser.add_argument_group("run")
    group.add_argument("--seed", metavar="N", default="1", help="seed of the random streams [1]")
    group.add_argument("--run", metavar="N", default="1", help="replication of that seed [1]")
    group.add_argument("--until", metavar="TIME", help="simulated time to stop at, such as 600s")
    group.add_argument("--out", metavar="DIR", help="folder for results and traces")
    group.add_argument(
        "--trace",
        metavar="KIND",
        nargs="+",
        action="extend",
        default=[],
        help=f"write traces: {', '.join(TRACE_KINDS)}",
    )
    group.add_argument("--json", action="store_true", help="print the results as one JSON object")
    group.add_argument("--quiet", action="store_true", help="no progress bar, no result tables")
    group.add_argument(
        "--profile",
        metavar="FILE.html",
        nargs="?",
        const="",
        help="show where the time goes, or write it to a file",
    )
    group.add_argument(
        "--scheduler",
        metavar="KIND",
        default="heap",
        help="pending-event set: heap, radix, sorted [heap]",
    )
    return parser


def _scenario_parser(target: str, scenario: type[Scenario]) -> Parser:
    parser = Parser(
        prog="simcore run",
        usage=f"simcore run {target} [--PARAM VALUE ...] [options]",
        description=scenario.description(),
    )
    parser.add_argument("target", help=argparse.SUPPRESS)
    group = parser.add_argument_group("parameters")
    for parameter in scenario.parameters().values():
        if parameter.name not in RESERVED:
            _add_parameter(group, parameter)
    return _common_options(parser)


def _add_parameter(group: Any, parameter: Parameter) -> None:
    flags = [f"--{parameter.name.replace('_', '-')}"]
    text = parameter.help or "no help text"
    if parameter.choices:
        text += f"; one of {', '.join(str(choice) for choice in parameter.choices)}"
    text = f"{text} [{parameter.default_text}]".replace("%", "%%")
    metavar = parameter.unit or ("VALUE" if parameter.choices else parameter.type_text)
    facts: dict[str, Any] = {"dest": f"param:{parameter.name}", "metavar": metavar}
    if parameter.type is bool:
        # "--broadcast", "--broadcast false" and "--no-broadcast" all work.
        facts |= {"nargs": "?", "const": "true"}
        group.add_argument(
            f"--no-{flags[0][2:]}",
            dest=facts["dest"],
            action="store_const",
            const="false",
            help=argparse.SUPPRESS,
        )
    group.add_argument(*flags, help=text, **facts)
    if "_" in parameter.name:
        group.add_argument(
            f"--{parameter.name}", **{key: facts[key] for key in facts}, help=argparse.SUPPRESS
        )


def _refuse_unknown(
    unknown: Sequence[str], parameters: dict[str, Parameter], scenario: type[Scenario]
) -> None:
    if not unknown:
        return
    option = unknown[0]
    if not option.startswith("-"):
        raise UsageError(f"unexpected argument {option!r}: parameters are given as --NAME VALUE")
    name, _, value = option.partition("=")
    if not value and len(unknown) > 1 and not unknown[1].startswith("-"):
        value = unknown[1]
    options = [*parameters, *RESERVED]
    word = name.lstrip("-")
    near = did_you_mean(word.replace("-", "_"), options)
    given = f" (given {value!r})" if value else ""
    raise UsageError(
        f"unknown option {name}{given}: {scenario.scenario_name()} has no such parameter{near}"
        f" 'simcore run {scenario.scenario_name()} --help' lists them"
    )


def _whole(text: str, option: str, lowest: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise UsageError(f"option --{option}: {text!r} is not a whole number") from None
    if value < lowest:
        raise UsageError(f"option --{option}: must be at least {lowest}, not {text}")
    return value


def _run(scenario: Scenario, options: argparse.Namespace) -> int:
    settings = _settings(options)
    partial: list[Results] = []
    bar: Any = contextlib.nullcontext()
    if sys.stderr.isatty() and not options.quiet:
        from simcore.cli.progress import ProgressBar

        bar = ProgressBar(scenario.scenario_name())
    stdout: Any = contextlib.nullcontext()
    if options.json:
        # A scenario that prints must not spoil the one object on standard output.
        stdout = contextlib.redirect_stdout(sys.stderr)
    try:
        with stdout, _profiled(options.profile), bar as progress:
            results = scenario.run(progress=progress, on_partial=partial.append, **settings)
    except UsageError:
        raise
    except ParameterError as error:
        raise UsageError(f"option --{error.parameter.replace('_', '-')}: {error}") from None
    except KeyboardInterrupt as error:
        code = error.code if isinstance(error, Terminated) else INTERRUPTED
        return _end_early(partial, options, code, str(error) or "interrupted")
    except (Exception, SystemExit) as error:
        return _end_early(partial, options, FAILED, _describe_failure(error, partial))
    _print(results, options)
    return DONE


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "seed": _whole(options.seed, "seed", 1),
        "run": _whole(options.run, "run", 0),
        "trace": options.trace,
        "scheduler": options.scheduler,
    }
    if options.scheduler not in SCHEDULERS:
        raise UsageError(
            f"option --scheduler: cannot be {options.scheduler!r};"
            f" it is one of: {', '.join(SCHEDULERS)}"
        )
    if options.until is not None:
        try:
            settings["until"] = parse_time(options.until, "s", "until")
        except (ValueError, OverflowError) as error:
            raise UsageError(f"option --until: {error}") from None
        if settings["until"] < 0:
            raise UsageError(f"option --until: must not be negative: {options.until!r}")
    if options.out == "":
        raise UsageError("option --out: '' names no folder; '.' is the current one")
    if options.out is not None or options.trace:
        folder = options.out if options.out is not None else os.curdir
        try:
            writable_folder(folder)
        except OSError as error:
            raise UsageError(
                f"option --out: cannot write into {folder!r}: {error.strerror or error};"
                " name a folder that can be made and written"
            ) from None
        settings["out"] = options.out
    return settings


@contextlib.contextmanager
def _profiled(target: str | None) -> Iterator[None]:
    """Profile the body with pyinstrument if the option was given."""
    if target is None:
        yield
        return
    if target and not target.endswith(".html"):
        raise UsageError(f"option --profile: {target!r} must end in .html")
    try:
        from pyinstrument import Profiler
    except ImportError:
        raise UsageError(
            "option --profile: needs pyinstrument: pip install 'simcore[profile]'"
        ) from None
    if target:
        try:
            with open(target, "a", encoding="utf-8"):
                pass
        except OSError as error:
            raise UsageError(
                f"option --profile: cannot write {target!r}: {error.strerror}"
            ) from None
    profiler = Profiler()
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
        if target:
            Path(target).write_text(profiler.output_html(), encoding="utf-8")
            say(f"profile written to {target}")
        else:
            sys.stderr.write(profiler.output_text(unicode=True, color=sys.stderr.isatty()))


def _describe_failure(error: BaseException, partial: list[Results]) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"failed: {partial[-1].error if partial else error}"
    traceback.print_exception(error)
    return f"failed: {partial[-1].error if partial else f'{type(error).__name__}: {error}'}"


def _end_early(
    partial: list[Results], options: argparse.Namespace, code: int, message: str
) -> int:
    """Say what happened and what was kept; show the partial results, marked as such."""
    if not partial:
        say(message)
        return code
    results = partial[-1]
    _print(results, options)
    say(f"{results.scenario} {message}, after {results.sim_time_s:g} s of simulated time")
    for name in results.files:
        with contextlib.suppress(OSError):
            say(f"kept {name} ({os.path.getsize(name):,} bytes)")
    if options.out is not None:
        if (Path(options.out) / MANIFEST_FILE).exists():
            say(f"partial results are in {options.out}, marked {results.status!r}")
        else:
            say(f"partial results could not be written to {options.out}")
    return code


def _print(results: Results, options: argparse.Namespace) -> None:
    if options.out is None:
        for name in results.large_tables:
            rows = results.tables.num_rows(name)
            say(f"table {name!r} has {rows:,} rows: give --out DIR to have it written to a file")
    if options.json:
        results.write_json(sys.stdout)
    elif not options.quiet:
        from simcore.cli.output import print_results

        print_results(results)
