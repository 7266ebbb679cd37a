import pytest

from gemini_cli.ground.net.proxy import bypasses, direct, proxy_address


@pytest.mark.parametrize(
    ("no_proxy", "host", "port", "expected"),
    [
        ("example.com", "example.com", 443, True),
        ("example.com", "api.example.com", 443, True),
        ("example.com", "notexample.com", 443, False),
        (".example.com", "api.example.com", 443, True),
        ("*.example.com", "api.example.com", 443, True),
        ("EXAMPLE.com", "Example.COM.", 443, True),
        ("example.com:8443", "example.com", 8443, True),
        ("example.com:8443", "example.com", 443, False),
        ("10.0.0.0/8", "10.1.2.3", 80, True),
        ("10.0.0.0/8", "11.1.2.3", 80, False),
        ("fd00::/8", "[fd00::1]", 80, True),
        ("[::1]:8080", "::1", 8080, True),
        ("::1", "[::1]", 443, True),
        ("127.0.0.1", "127.0.0.1", 80, True),
        ("a, b  c,*", "anything", 1, True),
        ("", "example.com", 443, False),
        ("10.0.0.0/99, ,.", "10.0.0.1", 80, False),
    ],
)
def test_no_proxy_lets_through_exactly_what_it_names(no_proxy, host, port, expected):
    assert direct(bypasses(no_proxy), host, port) is expected


def test_a_proxy_without_scheme_is_meant_as_http():
    assert proxy_address(" proxy.corp:3128 ") == "http://proxy.corp:3128"


@pytest.mark.parametrize(
    "value",
    ["socks5://x:1", "http://", "http://x:0", "http://x:99999", "ftp://x", "http://a b:1"],
)
def test_a_senseless_proxy_is_refused_with_a_reason(value):
    with pytest.raises(ValueError):
        proxy_address(value)


@pytest.mark.parametrize(
    "value", ["http://me:se/cret@h:80", "http://me:secret@[::x]:1", "http://me:secret@h:secret"]
)
def test_a_senseless_proxy_does_not_give_its_password_away(value):
    with pytest.raises(ValueError) as caught:
        proxy_address(value)
    assert not any(word in str(caught.value) for word in ("secret", "'se'", "cret"))
