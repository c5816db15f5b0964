"""Meta-World behind TargetWS: the scenes of MT1, 50 initial states each, without a camera unless one is asked for.

    pip install metaworld==3.0.0 mujoco==3.3.7 gymnasium==1.2.3 packaging imageio msgpack websockets
    python metaworld_server.py --port 9002

Newer versions of mujoco do not fit this version of Meta-World. The initial states are those of `MT1(task, seed=42)`. They take
a second or two per task to draw, so they are kept in --cache; their digest is told, so nobody has to believe the cache.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
from importlib.metadata import version

import numpy as np
import targetws

TASKS = (
    "reach push pick-place door-open drawer-open drawer-close button-press-topdown peg-insert-side window-open window-close"
)
INIT_STATES = 50
HORIZON = 500


def language_of(task):
    """`drawer-open-v3` -> `drawer open`"""
    return re.sub(r"-v\d+$", "", task).replace("-", " ")


class MetaWorld(targetws.Simulator):
    def __init__(self, options):
        self.gl = targetws.use_gl(options.gl)
        import metaworld

        self.metaworld = metaworld
        self.options = options
        self.tasks = ["%s-v3" % task for task in options.tasks.split()]
        # MT10 is a name for exactly these tasks; of others the name has a digest.
        other = hashlib.sha256(options.tasks.encode()).hexdigest()[:6]
        self.suite = "metaworld_mt10" if options.tasks == TASKS else "metaworld_%s" % other
        self.vectors = {task: self._vectors(task) for task in self.tasks}
        self.env, self.env_task = None, None

    def _vectors(self, task):
        """The 50 initial states of a task: one vector of positions each."""
        names = (version("metaworld"), version("mujoco"), version("numpy"), self.options.seed, task)
        kept = os.path.join(self.options.cache, "-".join(str(name) for name in names) + ".npy")
        if os.path.exists(kept):
            return np.load(kept, allow_pickle=False)
        drawn = self.metaworld.MT1(task, seed=self.options.seed).train_tasks
        vectors = np.array([pickle.loads(each.data)["rand_vec"] for each in drawn])
        os.makedirs(self.options.cache, exist_ok=True)
        part = "%s.%d.part.npy" % (kept, os.getpid())
        np.save(part, vectors)
        os.replace(part, kept)
        return vectors

    def describe(self):
        digest = hashlib.sha256()
        for task in self.tasks:
            digest.update(task.encode() + b"\0" + self.vectors[task].astype("<f8").tobytes())
        camera = self.options.camera
        shown = {"image": {"dtype": "uint8", "layout": "HWC", "shape": [camera, camera, 3]}} if camera else {}
        return {
            "runtime": "metaworld",
            "suite": self.suite,
            "tasks": [{"name": task, "language": language_of(task)} for task in self.tasks],
            "init_states": INIT_STATES,
            "init_state_source": {"sha256": digest.hexdigest(), "from": "MT1(task, seed).train_tasks"},
            "env_seed": self.options.seed,
            "max_steps": HORIZON,
            "success_rule": "any step",
            "action": {
                "width": 4,
                "id": "metaworld_delta_xyz_gripper_v1",
                "representation": "delta_eef_position_gripper",
                "frame": "world",
                "control_mode": "cartesian_delta_position",
                "control_hz": 80.0,
                "components": [{"name": name, "unit": "normalized"} for name in ("dx", "dy", "dz", "gripper")],
            },
            "observation": {"state": {"dtype": "float64", "shape": [39]}, **shown},
            "versions": {name: version(name) for name in ("metaworld", "mujoco", "gymnasium")},
            "gl_backend": self.gl if camera else "none: no camera",
            "gl_renderer": targetws.gl_renderer() if camera else "none: no camera",
            "image_processing": "upright, %d px, %s" % (camera, self.options.view) if camera else "none: no camera",
        }

    def reset(self, task, init_state, seed):
        name = self.tasks[task]
        if seed != self.options.seed:
            raise targetws.TargetError("env_seed %s was asked for, and this server drew with %s" % (seed, self.options.seed))
        kind = self.metaworld.ALL_V3_ENVIRONMENTS[name]
        if self.env_task != name:
            self.close()
            self.env, self.env_task = kind(**self._camera()), name
        data = {"rand_vec": self.vectors[name][init_state], "env_cls": kind, "partially_observable": False}
        self.env.set_task(self.metaworld.Task(env_name=name, data=pickle.dumps(data)))
        state, _ = self.env.reset()
        return self._seen(state)

    def _camera(self):
        if not (self.options.camera or self.options.videos):
            return {}
        size = self.options.camera or 256
        return {"render_mode": "rgb_array", "camera_name": self.options.view, "width": size, "height": size}

    def step(self, action):
        state, reward, terminated, truncated, info = self.env.step(action)
        return self._seen(state), reward, info["success"] > 0, terminated or truncated

    def _seen(self, state):
        seen = {"state": np.array(state, dtype=np.float64)}
        return {**seen, "image": self.frame()} if self.options.camera else seen

    def frame(self):
        # MuJoCo's picture of these scenes stands on its head.
        return None if self.env.render_mode is None else np.asarray(self.env.render())[::-1]

    def close(self):
        if self.env is not None:
            self.env.close()
        self.env, self.env_task = None, None


if __name__ == "__main__":
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    options = targetws.parser(__doc__.splitlines()[0], "metaworld")
    options.add_argument("--tasks", default=TASKS, help="names of scenes without -v3, separated by blanks")
    options.add_argument("--seed", type=int, default=42, help="seed that the initial states are drawn with (42)")
    options.add_argument("--camera", type=int, default=0, metavar="PX", help="also give an image of this size")
    options.add_argument("--view", default="corner2", help="camera for --camera and --videos")
    options.add_argument("--cache", default=os.path.join(home, "targetws-metaworld"), help="where initial states are kept")
    targetws.main(MetaWorld, options.parse_args())
