"""Any environment with the Gymnasium API behind TargetWS. Initial state n is the reset with seed n.

    pip install "gymnasium[classic-control]" msgpack websockets
    python gymnasium_server.py CartPole-v1 --success 475

Gymnasium has no word for success. It is taken from `info["is_success"]` or `info["success"]` where an environment says it; else
--success is the return at which an episode has succeeded.
"""

from __future__ import annotations

from importlib.metadata import version

import gymnasium
import numpy as np
import targetws


class Gym(targetws.Simulator):
    def __init__(self, options):
        self.options = options
        self.env = gymnasium.make(options.env, render_mode="rgb_array" if options.videos else None)
        self.discrete = isinstance(self.env.action_space, gymnasium.spaces.Discrete)

    def describe(self):
        space, spec = self.env.observation_space, self.env.spec
        # A choice of n is one number, rounded; numbers beyond a box are clipped to it.
        width = 1 if self.discrete else int(np.prod(self.env.action_space.shape))
        rule = "info" if self.options.success is None else "return of %g" % self.options.success
        return {
            "runtime": "gymnasium",
            "suite": self.options.env,
            "tasks": [{"name": self.options.env, "language": self.options.language or self.options.env}],
            "init_state_source": "reset(seed=n)",
            "max_steps": spec.max_episode_steps,
            "success_rule": rule,
            "action": {
                "width": width,
                "id": "gymnasium_action_v1",
                "control_hz": self.options.control_hz or float(self.env.metadata.get("render_fps") or 20),
                "bounds": repr(self.env.action_space),
            },
            "observation": {"state": {"dtype": str(space.dtype), "shape": list(space.shape)}},
            "versions": {name: version(name) for name in ["gymnasium", *self.options.package]},
        }

    def reset(self, task, init_state, seed):
        self.total = 0.0
        state, _ = self.env.reset(seed=init_state)
        return {"state": np.asarray(state)}

    def step(self, action):
        space = self.env.action_space
        if self.discrete:
            action = int(np.clip(np.rint(action[0]), 0, space.n - 1)) + int(space.start)
        else:
            action = np.clip(action.reshape(space.shape), space.low, space.high).astype(space.dtype)
        state, reward, terminated, truncated, info = self.env.step(action)
        self.total += float(reward)
        said = info.get("is_success", info.get("success", False))
        success = said if self.options.success is None else self.total >= self.options.success
        return {"state": np.asarray(state)}, reward, bool(success), terminated or truncated

    def frame(self):
        return self.env.render() if self.options.videos else None


if __name__ == "__main__":
    options = targetws.parser(__doc__.splitlines()[0], "gymnasium")
    options.add_argument("env", help="id of the environment, such as CartPole-v1")
    options.add_argument("--success", type=float, help="return at which an episode has succeeded")
    options.add_argument("--control-hz", type=float, help="actions a second; the environment's frame rate unless given")
    options.add_argument("--language", help="what the policy is told; the id unless given")
    options.add_argument("--package", action="append", default=[], help="a package whose version matters")
    options = options.parse_args()
    targetws.use_gl(options.gl)
    targetws.main(Gym, options)
