"""The shortcut around the library's version look-up stays in step with the library."""

import subprocess
import sys

import httpx2

PROBE = (
    "import gemini_cli.ground.net.http, sys;"
    "print('importlib.metadata' in sys.modules, 'h2' in sys.modules)"
)


def test_the_start_does_not_read_package_metadata():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_library_asks_its_version_module_for_no_more_than_we_put_there():
    code = (
        "from importlib import import_module;"
        "print(*(n for n in vars(import_module('httpx2.__version__')) if n.startswith('__')"
        " and n.strip('_') in ('title', 'description', 'version')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"__title__", "__description__", "__version__"}
    assert httpx2.AsyncHTTPTransport is not None
