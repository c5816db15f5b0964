"""A policy server in the protocol of openpi, around one Python function. Needs msgpack, websockets and numpy.

    def act(observation, prompt):            # observation: a map of arrays, as the target's contract names them
        return actions                       # [T, A]: T steps of the target's own width A

    openpi_policy.main(lambda: act, {"model": "mine", "checkpoint_digest": openpi_policy.digest_of("weights.bin")})

The function is made anew for each connection, which is one episode, so that nothing of an episode reaches the next. The
metadata is sent when a client connects, and tells whoever measures which policy this is.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import msgpack
import numpy as np

MAX_MESSAGE = 64 * 1024 * 1024


def _pack(value):
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        value = np.ascontiguousarray(value)
        return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError("cannot send a %s" % type(value).__name__)


def _unpack(value):
    named = {key.decode() if isinstance(key, bytes) else key: entry for key, entry in value.items()}
    if not named.get("__ndarray__"):
        return named
    dtype = named["dtype"].decode() if isinstance(named["dtype"], bytes) else named["dtype"]
    if np.dtype(dtype).kind not in "biuf":
        raise ValueError("arrays of dtype %s are not taken" % dtype)
    return np.frombuffer(named["data"], dtype=np.dtype(dtype)).reshape([int(each) for each in named["shape"]])


def digest_of(*paths):
    """`sha256:…` over files and folders, by name and content: the same checkpoint has the same digest everywhere."""
    whole = hashlib.sha256()
    for path in paths:
        files = [path]
        if os.path.isdir(path):
            files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
        for file in files:
            one = hashlib.sha256()
            with open(file, "rb") as data:
                for piece in iter(functools.partial(data.read, 1 << 20), b""):
                    one.update(piece)
            name = os.path.relpath(file, path) if os.path.isdir(path) else os.path.basename(file)
            whole.update(("%s\0%s\n" % (name, one.hexdigest())).encode())
    return "sha256:" + whole.hexdigest()


async def _serve(make, metadata, host, port, threads):
    import websockets

    workers = ThreadPoolExecutor(max_workers=threads)

    async def talk(connection, _path=None):
        loop = asyncio.get_running_loop()
        act = make()
        await connection.send(msgpack.packb(metadata))
        async for message in connection:
            try:
                observation = msgpack.unpackb(message, raw=False, strict_map_key=False, object_hook=_unpack)
                prompt = observation.pop("prompt", "")
                began = time.monotonic()
                # In a thread, so that pings are answered while the policy thinks.
                actions = np.asarray(await loop.run_in_executor(workers, act, observation, prompt), dtype=np.float32)
                actions = actions[None] if actions.ndim == 1 else actions
                took = 1000 * (time.monotonic() - began)
                await connection.send(
                    msgpack.packb({"actions": actions, "server_timing": {"infer_ms": took}}, default=_pack)
                )
            except Exception as error:  # noqa: BLE001 - the protocol's way to say an error is a text
                print("openpi_policy: %s: %s" % (type(error).__name__, error), file=sys.stderr, flush=True)
                await connection.send("%s: %s" % (type(error).__name__, str(error)[:300]))
                await connection.close(1011)
                return

    settings = {"max_size": MAX_MESSAGE, "compression": None, "ping_interval": 30, "ping_timeout": 600}
    async with websockets.serve(talk, host, port, **settings) as server:
        bound = list(server.sockets)[0].getsockname()[1]
        print("%s listens on openpi://%s:%d" % (metadata.get("model", "policy"), host, bound), flush=True)
        loop = asyncio.get_running_loop()
        ended = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: ended.done() or ended.set_result(None))
        await ended


def main(make, metadata, host="127.0.0.1", port=None, threads=1):
    """Serves until SIGTERM or Ctrl-C. `make()` gives the function of one connection; `metadata` must be plain values.

    `port`: by default the variable PORT, in which a run's `policy-command` gives a free one, or else 8000.
    `threads`: calls that may run at once, for a function that allows it; the others wait.
    """
    port = int(os.environ.get("PORT") or 8000) if port is None else port
    asyncio.run(_serve(make, metadata, host, port, threads))
