"""Says what kind of file a name and its first bytes stand for, and its MIME type.

The tables are ours, so the answer is the same on every machine. It never opens a file.
"""

from pathlib import PurePath
from typing import Literal

import msgspec

from gemini_cli.ground.host.encoding import looks_binary

FileKind = Literal["text", "svg", "image", "pdf", "audio", "video", "binary"]


class FileType(msgspec.Struct, frozen=True):
    """A kind, and the MIME type under which the bytes may be sent."""

    kind: FileKind
    mime: str


IMAGES = {
    ".apng": "image/apng",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".heic": "image/heic",
    ".heif": "image/heif",
    ".ico": "image/x-icon",
    ".jfif": "image/jpeg",
    ".jpe": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".jxl": "image/jxl",
    ".png": "image/png",
    ".psd": "image/vnd.adobe.photoshop",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".webp": "image/webp",
}
SOUNDS = {
    ".aac": "audio/aac",
    ".aif": "audio/aiff",
    ".aiff": "audio/aiff",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mid": "audio/midi",
    ".mp3": "audio/mp3",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".weba": "audio/webm",
}
FILMS = {
    ".3gp": "video/3gpp",
    ".avi": "video/x-msvideo",
    ".flv": "video/x-flv",
    ".m2ts": "video/mp2t",
    ".m4v": "video/mp4",
    ".mkv": "video/x-matroska",
    ".mov": "video/quicktime",
    ".mp4": "video/mp4",
    ".mpeg": "video/mpeg",
    ".mpg": "video/mpeg",
    ".ogv": "video/ogg",
    ".webm": "video/webm",
    ".wmv": "video/x-ms-wmv",
}
BINARY_SUFFIXES = frozenset(
    """.zip .tar .gz .tgz .bz2 .xz .zst .7z .rar .exe .dll .so .dylib .class .jar .war .ear
    .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .bin .dat .obj .o .a .lib .wasm .pyc .pyo
    .pyd .node .iso .dmg .msi .deb .rpm .apk .ipa .whl .woff .woff2 .ttf .otf .eot .sqlite .db
    """.split()
)


def classify(name: str, head: bytes) -> FileType:
    """The type of a file called `name` that begins with `head`.

    Pictures and PDFs go by name; sound and film only if the content is binary as well,
    because such endings are also used for text (TypeScript, subtitles, playlists).
    """
    suffix = PurePath(name).suffix.lower()
    if suffix == ".svg":
        return FileType("svg", "image/svg+xml")
    if suffix in IMAGES:
        return FileType("image", IMAGES[suffix])
    if suffix == ".pdf":
        return FileType("pdf", "application/pdf")
    binary = looks_binary(head)
    if suffix in SOUNDS:
        return FileType("audio", SOUNDS[suffix]) if binary else FileType("text", "text/plain")
    if suffix in FILMS:
        return FileType("video", FILMS[suffix]) if binary else FileType("text", "text/plain")
    if suffix in BINARY_SUFFIXES or (binary and suffix not in {".ts", ".mts", ".cts"}):
        return FileType("binary", "application/octet-stream")
    return FileType("text", "text/plain")
