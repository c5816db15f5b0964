"""Meta-World's scripted experts as a policy server, whole, with a task broken, or with noise.

    python metaworld_policy.py --port 8000
    python metaworld_policy.py --port 8001 --broken drawer-open      # never moves in that task
    python metaworld_policy.py --port 8002 --noise 0.5               # Gaussian, on every number of every action

The expert knows its task by the prompt, which is the task's language. Noise depends on --seed, the prompt and what is seen, and
on nothing else, so that it does not matter which server or connection an episode gets.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import os
import warnings
from importlib.metadata import version

import numpy as np
import openpi_policy
from metaworld_server import language_of


def maker(options, experts):
    named = {language_of(task): expert for task, expert in experts.items()}
    broken = {language_of(task) for task in options.broken}

    def make():
        chosen = {}

        def act(observation, prompt):
            if prompt not in named:
                raise KeyError("no expert for %r" % prompt)
            state = np.array(observation["observation/state"], dtype=np.float64)  # experts write into what they get
            if prompt in broken:
                return np.zeros(4)
            expert = chosen.setdefault(prompt, named[prompt]())
            action = np.clip(expert.get_action(state), -1, 1)
            if options.noise:
                text = ("%d\0%s\0" % (options.seed, prompt)).encode() + state.tobytes()
                seed = int.from_bytes(hashlib.sha256(text).digest()[:8], "little")
                action = action + np.random.default_rng(seed).normal(0, options.noise, 4)
            return np.clip(action, -1, 1)

        return act

    return make


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8000, help="0 for a free one")
    options.add_argument("--broken", action="append", default=[], metavar="TASK", help="a task to be still in")
    options.add_argument("--noise", type=float, default=0.0, help="standard deviation on an action")
    options.add_argument("--seed", type=int, default=0, help="of the noise")
    options = options.parse_args()
    warnings.filterwarnings("ignore")
    from metaworld.policies import ENV_POLICY_MAP

    unknown = {language_of(task) for task in options.broken} - {language_of(task) for task in ENV_POLICY_MAP}
    if unknown:
        raise SystemExit("no such task: %s" % ", ".join(sorted(unknown)))
    import metaworld.policies

    metadata = {
        "model": "metaworld scripted expert",
        "checkpoint_digest": openpi_policy.digest_of(
            *sorted(
                os.path.join(folder, name)
                for folder, _, names in os.walk(os.path.dirname(inspect.getfile(metaworld.policies)))
                for name in names
                if name.endswith(".py")
            )
        ),
        "metaworld": version("metaworld"),
        "action_dim": 4,
        "broken": sorted(options.broken),
        "noise": options.noise,
        "policy_seed": options.seed,
    }
    openpi_policy.main(maker(options, ENV_POLICY_MAP), metadata, options.host, options.port)
