"""Functions and values that the check files of Python clients share."""

import base64
import io
import json
import os
import struct
import traceback
import zlib

URL = os.environ["TOLLGATE_URL"]
KEY = os.environ["TOLLGATE_KEY"]

# One model for each dialect of a vendor.
MODELS = [f"sandbox/{name}" for name in ("echo", "gpt", "claude", "gemini", "nova", "command")]


def check(name):
    """Runs the decorated function and prints the result."""

    def run(perform):
        outcome = {"name": name, "outcome": "passed"}
        try:
            perform()
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            reason = (
                f"{type(error).__name__}: {error} ({last.name}, line {last.lineno}: {last.line})"
            )
            outcome = {"name": name, "outcome": "failed", "reason": " ".join(reason.split())[:500]}
        print("check " + json.dumps(outcome), flush=True)
        return perform

    return run


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def png(side=64, alpha=255):
    """Returns a square image of one color."""
    row = b"\0" + bytes((200, 30, 30, alpha)) * side

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    packed = zlib.compress(row * side)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


def image_link():
    return "data:image/png;base64," + base64.b64encode(png()).decode()


def named_file(name, data):
    file = io.BytesIO(data)
    file.name = name
    return file


def wave():
    """Returns one second of silence."""
    data = bytes(32_000)
    header = struct.pack(
        "<4sI8sIHHIIHH4sI",
        b"RIFF",
        36 + len(data),
        b"WAVEfmt ",
        16,
        1,
        1,
        16_000,
        32_000,
        2,
        16,
        b"data",
        len(data),
    )
    return header + data


WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
