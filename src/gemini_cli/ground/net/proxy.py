"""Decides which proxy, if any, a request goes through.

It reads no environment: the values of `HTTPS_PROXY` and `NO_PROXY` are handed in. A proxy
address that makes no sense is reported and left out rather than guessed at.
"""

import ipaddress
from urllib.parse import urlsplit

import msgspec

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SHAPE = (
    "write it as http://host:port or http://user:password@host:port, with %2F for a / and "
    "%40 for an @ in the password"
)


class Bypass(msgspec.Struct, frozen=True):
    """One entry of `NO_PROXY`: a host with its subdomains, an address or a network."""

    host: str = ""
    port: int | None = None
    network: ipaddress.IPv4Network | ipaddress.IPv6Network | None = None

    def covers(self, host: str, port: int) -> bool:
        if self.port is not None and self.port != port:
            return False
        if self.network is not None:
            address = _address(host)
            return address is not None and address in self.network
        return self.host == "*" or host == self.host or host.endswith("." + self.host)


def bypasses(no_proxy: str) -> tuple[Bypass, ...]:
    """Reads `NO_PROXY`: hosts, `.suffixes`, `*.suffixes`, `host:port`, CIDR networks and `*`."""
    entries = no_proxy.replace(",", " ").split()
    return tuple(found for entry in entries if (found := _entry(entry.lower())) is not None)


def direct(no_proxy: tuple[Bypass, ...], host: str, port: int) -> bool:
    """Whether this host is to be reached without the proxy."""
    host = host.lower().strip("[]").rstrip(".")
    return any(entry.covers(host, port) for entry in no_proxy)


def proxy_address(value: str) -> str:
    """The proxy's URL in full, or `ValueError` saying what is wrong with it."""
    text = value.strip()
    try:
        url = urlsplit(text if "://" in text else "http://" + text)
        port = url.port
    except ValueError:
        # The library's reason would quote a piece of the password.
        raise ValueError(_SHAPE) from None
    if url.scheme not in ("http", "https"):
        raise ValueError(f"{url.scheme}:// proxies are not supported, only http:// and https://")
    if not url.hostname or any(c.isspace() or not c.isprintable() for c in text):
        raise ValueError(_SHAPE)
    if port == 0:
        raise ValueError("its port must lie between 1 and 65535")
    return url.geturl()


def port_of(scheme: str, port: int | None) -> int:
    """The port a URL means."""
    return port if port is not None else _DEFAULT_PORTS.get(scheme, 0)


def _entry(text: str) -> Bypass | None:
    if text == "*":
        return Bypass(host="*")
    if "/" in text:
        try:
            return Bypass(network=ipaddress.ip_network(text, strict=False))
        except ValueError:
            return None
    host, port = _host_and_port(text)
    host = host.removeprefix("*").lstrip(".").rstrip(".")
    if not host:
        return None
    address = _address(host)
    if address is not None:
        return Bypass(network=ipaddress.ip_network(address), port=port)
    return Bypass(host=host, port=port)


def _host_and_port(text: str) -> tuple[str, int | None]:
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, _port(rest.removeprefix(":"))
    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return host, _port(port)
    return text, None


def _port(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
