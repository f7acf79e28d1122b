"""Writes foreign.safetensors from the description of the format alone: no checksum, an unpadded
multiple of 8 reached with spaces, values sorted by the width of their type, as other writers have it."""
import json
import struct

values = struct.pack("<4f", 1, 2, 3, 4.25) + struct.pack("<3e", 1.5, -2, 65504)
header = json.dumps({
    "__metadata__": {"made": "by hand"},
    "whole": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
    "half": {"dtype": "F16", "shape": [3], "data_offsets": [16, 22]},
}).encode()
header += b" " * (-len(header) % 8)
with open("foreign.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(header)) + header + values)
