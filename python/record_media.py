# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fixtures/media/: small images, and what PIL and torchvision make of them.

PNG files are written here with zlib and struct, so that their pixels are known without any decoder; JPEG files by PIL,
which also decodes them. Usage, from the top of the repository, where torchvision and Pillow are installed as well:

    build/python/bin/python python/record_media.py tests/fixtures/media
"""

import io
import pathlib
import struct
import sys
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import v2

HEIGHT, WIDTH = 9, 13
ADAM7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6


def chunk(name, data):
    """A part of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def rows_of(samples, depth):
    """Scan lines without a filter: samples [height, width, channels] of `depth` bits, packed."""
    lines = []
    for row in samples:
        if depth == 16:
            data = row.astype(">u2").tobytes()
        elif depth == 8:
            data = row.astype(np.uint8).tobytes()
        else:
            bits = ((row[:, 0, None] >> np.arange(depth - 1, -1, -1)) & 1).astype(np.uint8).ravel()
            data = np.packbits(bits).tobytes()
        lines.append(b"\0" + data)
    return b"".join(lines)


def png(samples, kind, depth, interlaced=False, extra=()):
    """A PNG file."""
    height, width = samples.shape[:2]
    if interlaced:
        passes = [samples[y::down, x::right] for y, x, down, right in ADAM7]
        data = b"".join(rows_of(part, depth) for part in passes if part.size)
    else:
        data = rows_of(samples, depth)
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))]
    parts += [chunk(name, content) for name, content in extra]
    parts += [chunk(b"IDAT", zlib.compress(data, 9)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def draw(generator, channels, levels):
    """Random samples on a slope, so that rows, columns and channels differ."""
    slope = np.linspace(0, levels / 2, HEIGHT * WIDTH * channels).reshape(HEIGHT, WIDTH, channels)
    return (slope + generator.integers(0, levels // 2, slope.shape)).astype(np.int64)


def write_pngs(folder, generator, expected):
    """Images whose pixels follow from what was drawn."""
    colours = draw(generator, 3, 256)
    alpha = draw(generator, 1, 256)
    gray = draw(generator, 1, 256)
    wide = draw(generator, 3, 65536)
    bits = draw(generator, 1, 2)
    nibbles = draw(generator, 1, 16)
    palette = generator.integers(0, 256, (16, 3))
    gamma = ((b"gAMA", struct.pack(">I", 100000)),)
    files = {
        "rgb.png": (png(colours, RGB, 8), colours),
        "interlaced.png": (png(colours, RGB, 8, True), colours),
        "gamma.png": (png(colours, RGB, 8, extra=gamma), colours),
        "rgba.png": (png(np.concatenate([colours, alpha], 2), RGBA, 8), colours),
        "rgb16.png": (png(wide, RGB, 16), wide >> 8),
        "gray.png": (png(gray, GRAY, 8), gray),
        "gray_alpha.png": (png(np.concatenate([gray, alpha], 2), GRAY_ALPHA, 8), gray),
        "gray1.png": (png(bits, GRAY, 1), bits * 255),
        "gray4_interlaced.png": (png(nibbles, GRAY, 4, True), nibbles * 17),
        "palette.png": (
            png(nibbles, PALETTE, 4, extra=((b"PLTE", palette.astype(np.uint8).tobytes()), (b"tRNS", b"\x10\x80"))),
            palette[nibbles[:, :, 0]],
        ),
    }
    for name, (content, pixels) in files.items():
        (folder / name).write_bytes(content)
        expected[name] = pixels.astype(np.uint8)
    return colours.astype(np.uint8)


def write_jpegs(folder, colours, expected):
    """Images that PIL wrote and decoded."""
    smooth = Image.fromarray(colours).resize((32, 24), Image.Resampling.BICUBIC)
    forms = {
        "rgb.jpg": (smooth, {}),
        "full.jpg": (smooth, {"subsampling": 0, "quality": 95}),
        "progressive.jpg": (smooth, {"progressive": True}),
        "gray.jpg": (smooth.convert("L"), {}),
    }
    for name, (image, options) in forms.items():
        image.save(folder / name, **options)
        pixels = np.asarray(Image.open(folder / name))
        expected[name] = pixels.reshape(24, 32, -1)
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its side
    smooth.save(folder / "turned.jpg", exif=exif)
    file = io.BytesIO()
    smooth.convert("CMYK").save(file, "JPEG")
    (folder / "cmyk.jpg").write_bytes(file.getvalue())


def record_transforms(colours, expected):
    """What torchvision makes of rgb.png, each under the name of its case in the test."""
    image = v2.functional.to_dtype(torch.from_numpy(colours).permute(2, 0, 1).contiguous(), torch.float32, scale=True)
    mean, deviation = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    cases = {
        "plain": [],
        "normalized": [v2.Normalize(mean, deviation)],
        "smaller": [v2.Resize((5, 4), antialias=False)],
        "larger": [v2.Resize((20, 31), antialias=False)],
        "cropped": [v2.CenterCrop((4, 6))],
        "shorter_cropped": [v2.Resize(6, antialias=False), v2.CenterCrop((6, 5)), v2.Normalize([0.5], [0.25])],
    }
    for name, transforms in cases.items():
        result = image
        for transform in transforms:
            result = transform(result)
        expected[name] = result.contiguous().numpy()
    expected["gray_of_rgb"] = np.asarray(Image.fromarray(colours).convert("L")).copy()
    bytes_image = torch.from_numpy(colours).permute(2, 0, 1).contiguous()
    expected["bytes_smaller"] = v2.Resize((5, 4), antialias=False)(bytes_image).contiguous().numpy()


def write_digits(folder):
    """The first held-out digits as images, in the order of their names."""
    folder.mkdir(exist_ok=True)
    data = np.load(folder.parents[1] / "digits" / "test.npz")
    for index in range(8):
        pixels = np.rint(data["image"][index, 0] * 255).astype(np.int64)[:, :, None]
        (folder / f"{index}.png").write_bytes(png(pixels, GRAY, 8))


def main():
    """Writes all files; the same versions write the same bytes."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    colours = write_pngs(folder, np.random.default_rng(16), expected)
    write_jpegs(folder, colours, expected)
    record_transforms(colours, expected)
    write_digits(folder / "digits")
    np.savez(folder / "expected.npz", **expected)


if __name__ == "__main__":
    main()
