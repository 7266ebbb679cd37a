"""Speed of the installed `gemini`, as medians and ratios measured in one run.

Runs of all programs alternate, so that whatever else the machine does hits them alike. With
PEER naming another `gemini`, each row also gives ours/peer. It never judges a time.
"""

import argparse
import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from gemini_cli.sdk.testing import Step, scripted_server, text

ROOT = Path(__file__).resolve().parents[2]
OURS = Path(sys.executable).with_name("gemini")
BARE = [sys.executable, "-c", ""]
LIMIT_SECONDS = 120
CHUNKS = 3000
BIG = 10_000
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
}


class Broken(Exception):
    """A program did not do what is being measured."""


@dataclass
class Row:
    """One measured thing: milliseconds of every run, by program."""

    name: str
    unit: str = "ms"
    budget: str = ""
    runs: dict[str, list[float]] = field(default_factory=dict)

    def add(self, program: str, value: float) -> None:
        self.runs.setdefault(program, []).append(value)

    def best(self, program: str) -> float:
        """The quickest run: what the machine can do when nothing else disturbs it."""
        return min(self.runs.get(program, [0.0]))

    def median(self, program: str) -> float | None:
        values = self.runs.get(program)
        return statistics.median(values) if values else None


@dataclass(frozen=True)
class Run:
    """What one run of a program took, in milliseconds."""

    wall: float
    cpu: float
    started: float
    code: int


def timed(command: list[str], cwd: Path, env: Mapping[str, str]) -> Run:
    """Runs to the end; CPU is that of the program and of the children it waited for."""
    with tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        child = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - started
        child.returncode = code = os.waitstatus_to_exitcode(status)
        if code != 0:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise Broken(f"{' '.join(command)}: exit code {code}: {''.join(said)}")
    return Run(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000, started, code)


class Bench:
    """All programs in a temporary home and two workspaces, one of them large."""

    def __init__(self, place: Path, peer: str | None) -> None:
        self.programs = {"ours": [str(OURS)], **({"peer": [peer]} if peer else {})}
        self.small, self.big = place / "small", place / "big"
        self.small.mkdir()
        (self.small / "notes.txt").write_text("nothing much\n")
        self._place = place

    def fill_big(self) -> None:
        """Ten thousand files in a hundred folders, with ignore rules."""
        for number in range(100):
            folder = self.big / f"pkg{number % 10}" / f"mod{number}"
            folder.mkdir(parents=True)
            for index in range(BIG // 100):
                (folder / f"file{index}.py").touch()
        (self.big / ".git").mkdir()
        (self.big / ".gitignore").write_text("*.log\nbuild/\n")

    def env(self, program: str, url: str = "http://127.0.0.1:9") -> dict[str, str]:
        home = self._place / f"home-{program}"
        if not home.exists():
            (home / ".gemini").mkdir(parents=True)
            (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
        dropped = ("GEMINI", "GOOGLE")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
        return {
            **kept,
            "GEMINI_CLI_HOME": str(home),
            "GEMINI_API_KEY": "bench",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GOOGLE_GEMINI_BASE_URL": url,
            "NO_PROXY": "127.0.0.1",
        }

    def bare(self, row: Row) -> None:
        """The interpreter doing nothing."""
        row.add("ours", timed(BARE, self.small, self.env("ours")).wall)

    def plain(self, flag: str) -> Callable[[Row], None]:
        """A run that needs no service."""

        def measure(row: Row) -> None:
            for program, command in self.programs.items():
                row.add(program, timed([*command, flag], self.small, self.env(program)).wall)

        return measure

    def first_request(self, big: bool) -> Callable[[Row], None]:
        """From starting the program until the service sees its first request."""

        def measure(row: Row) -> None:
            for program, run, seen in self._prompted(text("ok"), big=big):
                row.add(program, (seen - run.started) * 1000)

        return measure

    def cpu(self, step: Step, *options: str) -> Callable[[Row], None]:
        """Processor time of a whole prompt."""

        def measure(row: Row) -> None:
            for program, run, _ in self._prompted(step, *options):
                row.add(program, run.cpu)

        return measure

    def _prompted(
        self, step: Step, *options: str, big: bool = False
    ) -> Iterator[tuple[str, Run, float]]:
        place = self.big if big else self.small
        arguments = ["-m", "gemini-2.5-flash", *options, "-p", "hello"]
        for program, command in self.programs.items():
            with scripted_server([step]) as server:
                try:
                    run = timed([*command, *arguments], place, self.env(program, server.url))
                except Broken as error:
                    problems = [e.problem or e.outcome for e in server.exchanges]
                    raise Broken(f"{error} (service: {problems})") from error
                if not server.requests:
                    raise Broken(f"{' '.join(command)} sent no request")
                yield program, run, server.requests[0].at


def prose(words: int) -> Iterator[str]:
    """Words that never repeat for long, so that nobody takes them for a loop."""
    dice = random.Random(7)
    for number in range(words):
        letters = "".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9)))
        yield letters + (".\n" if number % 14 == 13 else " ")


def measured(bench: Bench, runs: int, quick: bool) -> list[Row]:
    """Every row, `runs` times, in turns."""
    stream = text(*prose(CHUNKS))
    plan: list[tuple[Row, Callable[[Row], None]]] = [
        (Row("bare interpreter"), bench.bare),
        (Row("--version", budget="bare + 30"), bench.plain("--version")),
        (Row("--help", budget="bare + 30"), bench.plain("--help")),
        (Row("-p: first request", budget="bare + 250"), bench.first_request(False)),
        (Row("-p: short answer, CPU", "ms CPU"), bench.cpu(text("ok"))),
        (
            Row(f"-p: {CHUNKS} chunks, CPU", "ms CPU", "peer / 4"),
            bench.cpu(stream),
        ),
    ]
    if not quick:
        bench.fill_big()
        as_json = bench.cpu(stream, "-o", "stream-json")
        plan += [
            (Row(f"-p among {BIG} files: first request"), bench.first_request(True)),
            (Row(f"-p: {CHUNKS} chunks as stream-json, CPU", "ms CPU", "peer / 4"), as_json),
        ]
    for turn in range(runs + 1):
        for row, measure in plan:
            measure(row)
            if turn == 0:
                row.runs.clear()  # the first turn warms caches
    return [row for row, _ in plan]


def table(rows: list[Row], peer: bool) -> Iterator[str]:
    """The rows as text."""
    bare = rows[0].median("ours") or 0.0
    width = max(len(row.name) for row in rows)
    heading = f"{'':{width}}  {'ours':>9}  {'over bare':>9}  {'at best':>9}"
    yield heading + (f"  {'peer':>9}  {'ours/peer':>9}" if peer else "") + "  budget"
    for row in rows:
        ours, theirs = row.median("ours"), row.median("peer")
        counts = row.unit == "ms" and row is not rows[0]
        over = f"{(ours or 0) - bare:+.1f}" if counts else ""
        least = f"{row.best('ours') - rows[0].best('ours'):+.1f}" if counts else ""
        line = f"{row.name:{width}}  {ours or 0:>9.1f}  {over:>9}  {least:>9}"
        if peer:
            line += f"  {theirs:>9.1f}  {(ours or 0) / theirs:>9.3f}" if theirs else " " * 22
        yield f"{line}  {row.budget}".rstrip()


def transcripts() -> ModuleType | None:
    """The measuring of how fast stored sessions are read."""
    path = ROOT / "tests" / "transcripts" / "speed.py"
    spec = importlib.util.spec_from_file_location("transcripts_speed", path)
    if not path.is_file() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=11, help="runs per row (default 11)")
    parser.add_argument("--quick", action="store_true", help="3 runs, fewer rows")
    parser.add_argument("--json", action="store_true", help="print medians as JSON")
    options = parser.parse_args()
    runs = 3 if options.quick else max(1, options.runs)
    peer = os.environ.get("PEER")
    try:
        with tempfile.TemporaryDirectory(prefix="gemini-bench-") as place:
            rows = measured(Bench(Path(place), peer), runs, options.quick)
    except (Broken, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    reading = transcripts()
    if options.json:
        medians = {row.name: {p: row.median(p) for p in row.runs} for row in rows}
        found = {tool: {"ours": a, "json.loads": b} for tool, a, b in _speeds(reading)}
        print(json.dumps({"medians": medians, "transcripts MB/s": found}, indent=2))
        return 0
    print(f"medians of {runs} runs in milliseconds, programs in turns")
    print("\n".join(table(rows, bool(peer))))
    if reading is not None:
        print(f"\n{reading.HEAD}")
        for speed in _speeds(reading):
            print(reading.told(*speed), flush=True)
    return 0


def _speeds(reading: ModuleType | None) -> Iterator[tuple[str, float, float]]:
    return iter(()) if reading is None else reading.speeds()


if __name__ == "__main__":
    raise SystemExit(main())
