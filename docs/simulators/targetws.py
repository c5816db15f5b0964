"""TargetWS: puts a simulator behind a WebSocket, so that `rollout-bench host` (or a watchdog of PhyAgentOS) can drive it.

Needs msgpack, websockets and numpy. A server is a class with four methods and one line that serves it:

    class Mine(targetws.Simulator):
        def describe(self): ...                       # what it is: tasks, versions, actions, observations
        def reset(self, task, init_state, seed): ...  # -> observation, a map of arrays
        def step(self, action): ...                   # -> observation, reward, success, done
        def frame(self): ...                          # -> height x width x 3 bytes for a video, or None

    targetws.main(lambda options: Mine())

The simulator lives in the main thread, alone; the connections live in another one. So `describe` and pings are answered
while a simulator is being built, and a simulator that wants its own thread (GL contexts do) has it.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes.util
import os
import queue
import re
import signal
import sys
import threading
import time
import traceback
from concurrent.futures import Future

import msgpack
import numpy as np

RPC_VERSION = "phyagentos.runtime_rpc.v2"
KIT_VERSION = "1"
MAX_MESSAGE = 64 * 1024 * 1024
# How long a describe waits for the very first description before it says that the simulator is busy.
FIRST_DESCRIBE_S = 5.0
DEFAULTS = {"task_id": 0, "init_state_id": 0, "max_chunk_size": 50}


class TargetError(Exception):
    """Something the client did; answered by name, and the server goes on."""


class Simulator:
    """One simulator. Every method is called in the main thread, one call at a time."""

    def describe(self):
        """What it is. Keys: see `describe_payload`; asked again after each `configure` that changed the suite."""
        raise NotImplementedError

    def configure(self, config):
        """Takes the target's config before a reset; for what is neither task nor initial state, such as a suite."""

    def reset(self, task, init_state, seed):
        """Brings task `task` to its initial state `init_state`. Returns the first observation."""
        raise NotImplementedError

    def step(self, action):
        """One step of the simulator with one row of the policy's actions (float32). Success is counted once it was true."""
        raise NotImplementedError

    def frame(self):
        """A picture for the video, or None for a simulator that has none."""
        return None

    def close(self):
        """Frees what is open; a reset may follow."""


# --- messages ---------------------------------------------------------------------------------------------------------


def _pack(value):
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        value = np.ascontiguousarray(value)
        return {"__ndarray__": True, "data": value.tobytes(), "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError("cannot send a %s" % type(value).__name__)


def _unpack(value):
    if value.get("__ndarray__"):
        dtype = np.dtype(value["dtype"])
        if dtype.kind not in "biuf":
            raise TargetError("arrays of dtype %s are not taken" % value["dtype"])
        return np.frombuffer(value["data"], dtype=dtype).reshape([int(each) for each in value["shape"]])
    return value


def packb(value):
    return msgpack.packb(value, use_bin_type=True, default=_pack)


def unpackb(data):
    return msgpack.unpackb(data, raw=False, object_hook=_unpack)


def _response(request, kind, payload):
    names = ("session_id", "target_id", "skillruntime_id", "episode_id", "trace_id")
    ids = {name: request.get(name) for name in names}
    seq = request.get("seq")
    seq = seq if isinstance(seq, int) else 0
    return packb(
        {"version": RPC_VERSION, "type": kind, **ids, "seq": seq, "timestamp_ns": time.time_ns(), "payload": payload}
    )


def _error(request, error):
    # No traceback and no path: messages end in public reports.
    text = (str(error).strip().splitlines() or ["without a message"])[0][:300]
    return _response(request, "runtime.error", {"error_code": type(error).__name__, "message": text})


# --- the session, in the main thread ----------------------------------------------------------------------------------


class Target:
    """The one simulator and the session that has it. A new session takes it over; an older one then gets errors."""

    def __init__(self, simulator, options):
        self.simulator = simulator
        self.options = options
        self.description = None
        self.owner = None
        self.session = None
        self.config = dict(DEFAULTS)
        self.cancelled = threading.Event()
        self.episode = None

    def describe(self):
        self.description = describe_payload(self.simulator.describe(), self.options)
        return self.description

    def left(self, connection):
        """The connection is gone: nothing of it is carried on."""
        if self.owner is connection:
            self.cancelled.set()
            self.owner = None

    def handle(self, connection, request):
        kind = str(request.get("type"))
        payload = request.get("payload") or {}
        if not isinstance(payload, dict):
            raise TargetError("the payload of %s is no map" % kind)
        method = getattr(self, "_" + kind.replace("target.", "", 1), None) if kind in KINDS else None
        if method is None:
            raise TargetError("unsupported target RPC type: %s" % kind)
        if kind not in TAKING:
            self._check_owner(connection, request)
        answer = method(connection, payload)
        return ("target.observation" if kind == "target.observe" else kind), answer

    def _check_owner(self, connection, request):
        asked = request.get("session_id")
        if self.owner is not connection or (asked is not None and self.session is not None and asked != self.session):
            raise TargetError("session %s does not have this simulator (any more)" % asked)

    def _adopt(self, connection, payload):
        given = payload.get("config") or payload.get("libero") or {}
        if not isinstance(given, dict):
            raise TargetError("the config of the session is no map")
        # Never what an earlier session left: a session that does not name a setting gets the server's own.
        self.config = {**DEFAULTS, **{key: value for key, value in given.items() if value is not None}}
        self.session = payload.get("session_id", self.session)
        self.owner = connection
        self.cancelled.clear()

    def _configure_session(self, connection, payload):
        self.session = None
        self._end()
        self._adopt(connection, payload)
        return {"configured": True, "session_id": self.session}

    def _start_session(self, connection, payload):
        return {"started": True, "session_id": self.session}

    def _reset(self, connection, payload):
        self._adopt(connection, payload)
        self.simulator.configure(self.config)
        wanted = self.config.get("benchmark_name")
        if wanted is not None and wanted != self.description["benchmark_name"]:
            suite = self.describe()["benchmark_name"]
            if wanted != suite:
                raise TargetError("suite %s was asked for, and this server has %s" % (wanted, suite))
        self._end()
        self.episode = Episode(self)
        return self.episode.observation

    def _observe(self, connection, payload):
        return self._running().observation

    def _action_chunk(self, connection, payload):
        return self._running().act(payload)

    def _execution_status(self, connection, payload):
        return {"accepted": True, "safety_status": "idle"} if self.episode is None else dict(self.episode.status)

    def _cancel(self, connection, payload):
        return {"cancelled": True, "reason": str(payload.get("reason", "cancelled"))}

    def _close(self, connection, payload):
        # The simulator stays open: the next session of the same task begins sooner.
        self._end()
        self.session = self.owner = None
        return {"closed": True}

    def _running(self):
        if self.episode is None:
            raise TargetError("there was no reset")
        return self.episode

    def _end(self):
        episode, self.episode = self.episode, None
        if episode is not None and episode.video is not None:
            episode.video.drop()

    def broken(self):
        """After an error inside the simulator nothing of it is trusted."""
        try:
            self._end()
            self.simulator.close()
        except Exception:  # noqa: BLE001 - it is broken already
            traceback.print_exc()


KINDS = {
    "target." + name
    for name in (
        "configure_session",
        "start_session",
        "reset",
        "observe",
        "action_chunk",
        "execution_status",
        "cancel",
        "close",
    )
}
TAKING = {"target.configure_session"}


def whole(config, key, limit=None):
    """A whole number of the config, from 0 to `limit`, exclusive."""
    value = config.get(key)
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (limit is not None and value >= limit):
        ending = "" if limit is None else " below %d" % limit
        raise TargetError("%s is %r, and must be a whole number%s" % (key, value, ending))
    return value


class Episode:
    """One episode: from a reset to success, to the end of the simulator's own, or to the step limit."""

    def __init__(self, target):
        config, description = target.config, target.description
        tasks = description["task_list"]
        self.target = target
        self.simulator = target.simulator
        self.task = whole(config, "task_id", len(tasks))
        self.init_state = whole(config, "init_state_id", description.get("init_states"))
        self.language = tasks[self.task]["language"]
        self.max_steps = whole(config, "max_steps") if "max_steps" in config else description.get("max_steps")
        self.steps = 0
        self.total = 0.0
        self.success = self.done = False
        self.chunks = []
        self.summary_of_video = {}
        self.video = Video(self) if config.get("record_dir") or target.options.videos else None
        seed = config.get("env_seed", description.get("env_seed"))
        self.observation = self._seen(self.simulator.reset(self.task, self.init_state, seed))
        self._film()
        self.status = self._status("reset", 0.0)

    def act(self, chunk):
        actions = self._actions(chunk)
        first, reward = self.steps, 0.0
        observation = None
        for action in actions:
            if self.done or self.target.cancelled.is_set():
                break
            observation, gained, success, done = self.simulator.step(action)
            self.steps += 1
            reward += float(gained)
            self.success = self.success or bool(success)
            self.done = self.success or bool(done) or (self.max_steps is not None and self.steps >= self.max_steps)
            self._film()
        self.total += reward
        if observation is not None:
            self.observation = self._seen(observation)
        self.chunks.append(
            {
                "chunk_id": chunk.get("chunk_id", "chunk"),
                "first_step": first + 1,
                "executed_steps": self.steps - first,
                "requested_steps": int(actions.shape[0]),
                "reward": reward,
                "success": self.success,
                "done": self.done,
                "action_shape": [int(each) for each in actions.shape],
            }
        )
        if self.done and self.video is not None:
            self.summary_of_video = {"video_path": self.video.finish(self.success)}
            self.video = None
        self.status = self._status(chunk.get("chunk_id", "chunk"), reward)
        return dict(self.status)

    def _actions(self, chunk):
        width = self.target.description["action_contract"]["shape"][1]
        try:
            actions = np.asarray(chunk.get("actions"), dtype=np.float32)
        except (TypeError, ValueError) as error:  # the client's fault: the simulator is as good as it was
            raise TargetError("actions must be [T,%d] of numbers: %s" % (width, error)) from None
        if actions.ndim != 2 or actions.shape[1] != width or actions.shape[0] == 0:
            raise TargetError("actions must be [T,%d], got %s" % (width, list(actions.shape)))
        if actions.shape[0] > whole(self.target.config, "max_chunk_size"):
            raise TargetError("%d actions in one chunk are too many" % actions.shape[0])
        if not np.isfinite(actions).all():
            raise TargetError("actions contain NaN or Inf")
        return actions

    def _seen(self, observation):
        return {
            **observation,
            "observation_id": "obs_%d" % self.steps,
            **self._cell(),
            "timestamp_ns": time.time_ns(),
        }

    def _cell(self):
        suite = self.target.description.get("benchmark_name")
        return {
            "benchmark_name": suite,
            "task_id": self.task,
            "init_state_id": self.init_state,
            "task_description": self.language,
        }

    def _status(self, chunk_id, reward):
        return {
            "chunk_id": chunk_id,
            "accepted": True,
            "buffered_steps": 0,
            "executed_steps": self.steps,
            "target_step_index": self.steps,
            "need_replan": not self.success,
            "safety_status": "ok",
            "success": self.success,
            "done": self.done,
            "reward": reward,
            "obs": self.observation,
            "episode_summary": {
                **self._cell(),
                "target_step_index": self.steps,
                "success": self.success,
                "done": self.done,
                "total_reward": self.total,
                "num_action_chunks": len(self.chunks),
                "chunks": list(self.chunks),
                "final_observation_id": "obs_%d" % self.steps,
                **self.summary_of_video,
            },
        }

    def _film(self):
        if self.video is not None:
            self.video.add(self.simulator.frame())


class Video:
    """An mp4 of one episode. What was asked for and cannot be made is an error of the session, never a missing file."""

    def __init__(self, episode):
        folder = episode.target.options.videos
        if folder is None:
            raise TargetError("a session asks for a video: start this server with --videos FOLDER")
        try:
            import imageio  # with imageio-ffmpeg; only who wants videos needs them
            import imageio_ffmpeg  # noqa: F401
        except ImportError as error:
            raise TargetError("a video needs imageio and imageio-ffmpeg: %s" % error) from None
        session = re.sub(r"[^A-Za-z0-9_.-]", "_", str(episode.target.session or "session"))[:120].lstrip(".")
        self.name = "%s_t%02d_i%03d" % (session or "session", episode.task, episode.init_state)
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, self.name + ".part.mp4")
        self.writer = imageio.get_writer(self.path, fps=episode.target.options.video_fps, macro_block_size=2)

    def add(self, frame):
        if frame is None:
            raise TargetError("this simulator gives no pictures for a video; see --help for a camera")
        self.writer.append_data(np.ascontiguousarray(frame, dtype=np.uint8))

    def drop(self):
        """An episode without an end leaves no video."""
        self.writer.close()
        os.remove(self.path)

    def finish(self, success):
        self.writer.close()
        name = "%s_%s.mp4" % (self.name, "success" if success else "failure")
        os.replace(self.path, os.path.join(os.path.dirname(self.path), name))
        return name


def describe_payload(said, options):
    """The answer to `target.describe`, from what the simulator says of itself.

    Wanted: `runtime` and `suite` (names), `tasks` (a list of {name, language, ...}), `init_states` (of each task), `action`
    ({width, id, representation, frame, normalized, control_hz, components, ...}), `observation` (name -> {dtype, shape}),
    `versions` (package -> version). What it tells besides stands as it is: `init_state_source` ({sha256, ...}), `env_seed`,
    `success_rule`, `image_processing`, `gl_backend`, `gl_renderer`, `max_steps`. What it does not tell stays unknown.
    """
    known = {"runtime", "suite", "tasks", "action", "observation", "versions"}
    action = dict(said["action"])
    width = int(action.pop("width"))
    tasks = [
        {"task_id": index, "task_name": task["name"], **{key: task[key] for key in task if key != "name"}}
        for index, task in enumerate(said["tasks"])
    ]
    contract = {"dtype": "float32", "normalized": False, **action}
    return {
        **{key: value for key, value in said.items() if key not in known and value is not None},
        "runtime": said["runtime"],
        "benchmark_name": said["suite"],
        "num_tasks": len(tasks),
        "task_list": tasks,
        "environments": 1,
        "observation_schema": said["observation"],
        "action_contract": {**contract, "shape": ["T", width], "max_chunk_size": DEFAULTS["max_chunk_size"]},
        "versions": {**said["versions"], "numpy": np.__version__, "kit": KIT_VERSION},
    }


# --- the connections, in a thread of their own ------------------------------------------------------------------------


class Server:
    def __init__(self, options):
        self.options = options
        self.jobs = queue.Queue()
        self.target = None
        self.busy = True
        self.described = threading.Event()
        self.port = Future()

    def work(self, make):
        """The main thread's loop: builds the simulator, then does one job after the other until told to end."""
        target = Target(make(self.options), self.options)
        target.describe()
        self.target = target
        self.described.set()
        self.busy = False
        while True:
            job = self.jobs.get()
            self.busy = True
            job()
            self.busy = not self.jobs.empty()

    async def listen(self):
        import websockets

        # A peer that is silent for ten minutes is gone; a shorter time would end those who wait for a slow policy.
        settings = {"max_size": MAX_MESSAGE, "compression": None, "ping_interval": 30, "ping_timeout": 600}
        async with websockets.serve(self._talk, self.options.host, self.options.port, **settings) as server:
            self.port.set_result(list(server.sockets)[0].getsockname()[1])
            await asyncio.Future()

    async def _talk(self, connection, _path=None):
        try:
            async for message in connection:
                await connection.send(await self._answer(connection, message))
        except Exception as error:  # noqa: BLE001 - one connection less
            print("targetws: a connection ended: %s" % error, file=sys.stderr, flush=True)
        finally:
            if self.target is not None:
                self.target.left(connection)

    async def _answer(self, connection, message):
        request = {}
        try:
            if isinstance(message, str):
                raise TargetError("expected a binary message")
            decoded = unpackb(message)
            if not isinstance(decoded, dict):
                raise TargetError("expected a map")
            request = decoded
            if request.get("type") == "target.describe":
                return _response(request, "target.describe", await self._describe())
            if request.get("type") == "target.cancel" and self.target and self.target.owner is connection:
                self.target.cancelled.set()  # at once, also in the middle of a chunk
            return await self._in_main(connection, request)
        except Exception as error:  # noqa: BLE001 - answered by name
            return _error(request, error)

    async def _describe(self):
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.described.wait, FIRST_DESCRIBE_S)
        if self.target is None:
            return {"runtime": self.options.name, "state": "busy"}
        return {**self.target.description, "state": "busy" if self.busy else "ready"}

    async def _in_main(self, connection, request):
        done = Future()

        def job():
            try:
                done.set_result(_response(request, *self.target.handle(connection, request)))
            except TargetError as error:
                done.set_result(_error(request, error))
            except Exception as error:  # noqa: BLE001 - the simulator's own
                traceback.print_exc()
                self.target.broken()
                done.set_result(_error(request, error))

        self.jobs.put(job)
        return await asyncio.wrap_future(done)


def use_gl(choice):
    """Chooses where MuJoCo renders, before it is imported. Returns the name of the backend for `gl_backend`.

    On the CPU unless told otherwise: a simulator that renders on the GPU on which a policy computes can end both.
    """
    if choice == "gpu":
        return os.environ.setdefault("MUJOCO_GL", "egl")
    if ctypes.util.find_library("OSMesa"):
        backend = {"MUJOCO_GL": "osmesa", "PYOPENGL_PLATFORM": "osmesa"}
    else:
        backend = {"MUJOCO_GL": "egl", "PYOPENGL_PLATFORM": "egl", "LIBGL_ALWAYS_SOFTWARE": "1"}
        mesa = "/usr/share/glvnd/egl_vendor.d/50_mesa.json"
        if os.path.exists(mesa):
            backend["__EGL_VENDOR_LIBRARY_FILENAMES"] = mesa
    os.environ.update(backend)
    return "osmesa" if backend["MUJOCO_GL"] == "osmesa" else "egl, Mesa in software"


def gl_renderer():
    """Who draws, as OpenGL names it, for `gl_renderer`; None where it cannot be asked."""
    try:
        import mujoco
        from OpenGL import GL

        context = mujoco.GLContext(64, 64)
        try:
            context.make_current()
            return GL.glGetString(GL.GL_RENDERER).decode()
        finally:
            context.free()
    except Exception:  # noqa: BLE001 - unknown, then
        return None


def parser(description, name):
    """The options that every server has; a server adds its own."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--host", default="127.0.0.1", help="address to listen on; nobody is asked for a password")
    options.add_argument("--port", type=int, default=9002, help="0 for a free one")
    options.add_argument("--gl", choices=("cpu", "gpu"), default="cpu", help="where to render (cpu)")
    options.add_argument("--videos", metavar="FOLDER", help="write an mp4 of each episode there")
    options.add_argument("--video-fps", type=int, default=20)
    options.set_defaults(name=name)
    return options


def main(make, options=None):
    """Serves the simulator that `make(options)` builds until SIGTERM or Ctrl-C."""
    options = parser("A simulator behind TargetWS.", "simulator").parse_args() if options is None else options
    server = Server(options)
    loop = threading.Thread(target=lambda: _listen(server), daemon=True)
    loop.start()
    port = server.port.result(timeout=60)
    print("%s listens on targetws://%s:%d" % (options.name, options.host, port), flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.work(make)
    except KeyboardInterrupt:
        pass
    finally:
        if server.target is not None:
            server.target.simulator.close()


def _listen(server):
    try:
        asyncio.run(server.listen())
    except Exception as error:  # noqa: BLE001 - said by main
        if not server.port.done():
            server.port.set_exception(error)
