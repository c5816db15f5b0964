/** RB3xx: preconditions, target, policy, discovery, plan. */
export const PRECONDITION_ERRORS = {
  RB300: {
    title: 'No enabled simulation target',
    help: 'TARGETS.md holds no target with `enabled: true` and `target_kind: simulation`. Enable the one to benchmark.',
  },
  RB301: {
    title: 'The named target does not exist',
    help: 'The input `target` must be the id of a target in TARGETS.md; the message lists the ids.',
  },
  RB302: {
    title: 'The named target cannot be benchmarked',
    help: 'Only enabled targets of kind simulation are benchmarked; real robots and disabled targets never are.',
  },
  RB303: {
    title: 'Several targets fit',
    help: 'More than one pair of target and skill runtime could be benchmarked; name one with `target` and `skillruntime`.',
  },
  RB304: {
    title: 'The named skill runtime does not exist',
    help: 'The input `skillruntime` must be the id of an entry in SKILLRUNTIME.md; the message lists the ids.',
  },
  RB305: {
    title: 'The skill runtime is not a policy',
    help: 'Only skill runtimes of kind policy can be benchmarked; a builtin skill has no policy to measure.',
  },
  RB306: {
    title: 'The target does not support the skill runtime',
    help: "The target's `supported_skillruntimes` must list the skill runtime, or the runtime rejects every session.",
  },
  RB307: {
    title: 'No policy skill runtime for the target',
    help: 'The target supports no skill runtime of kind policy. Add one to SKILLRUNTIME.md and list it at the target.',
  },
  RB308: {
    title: 'No policy endpoint',
    help: "Give `policy-endpoint`, or put `policy_endpoint` in the target's config.",
  },
  RB309: {
    title: 'Malformed endpoint',
    help: 'A policy is `openpi://host:port`, `policyws://host:port` or `dummy://local`; a target is `targetws://host:port`. Host and port are required, user names and passwords are refused because they would be written to SESSIONS.md.',
    exit: 'refused',
  },
  RB310: {
    title: 'Chunk limit of the target is 4',
    help: 'The runtime reads the limit from `config.action.max_chunk_size`. Without it, policies that answer longer chunks fail with ADAPTER. Cell targets carry the right key; the user target itself keeps the fault.',
    severity: 'warning',
  },
  RB311: {
    title: 'Another target on the same server inherits settings',
    help: 'A LIBERO server keeps `max_steps`, `num_steps_wait` and `record_*` of the last session. A target without these keys runs with the values of the benchmark until another session sets them.',
    severity: 'warning',
  },
  RB312: {
    title: 'Camera size is left to the runtime',
    help: 'The target sets no `camera_height` or `camera_width`, so the default of the runtime applies and is not part of the plan.',
    fix: 'Set the size that the policy was trained for.',
    severity: 'warning',
  },
  RB313: {
    title: 'No suite',
    help: "Give `suite`, or set `benchmark_name` in the target's config.",
    fix: 'Give suite, for example libero_spatial.',
  },
  RB320: {
    title: 'The target cannot be reached',
    help: 'Nothing accepts a connection at the target endpoint. Start the target server, or correct the endpoint.',
  },
  RB321: {
    title: 'The target did not answer in time',
    help: 'It accepts connections and kept silent for two minutes, although no session keeps it busy. A describe takes as long as the simulator needs to start; look at the server and its GPU.',
  },
  RB322: {
    title: 'The target answered with an error',
    help: 'The server reported a fault. A bad task id left by an earlier session breaks describe until another session repairs it.',
    exit: 'refused',
  },
  RB323: {
    title: 'The target closed the connection without an answer',
    help: 'The server may have crashed or speaks another protocol. Its log tells.',
  },
  RB324: {
    title: 'The answer is not a TargetWS answer',
    help: 'Something else listens at the target endpoint, or the server has another protocol version.',
    exit: 'refused',
  },
  RB325: {
    title: 'The answer belongs to another request',
    help: 'Type, seq or ids of the answer differ from the request. Another client may share the connection, or the server is broken.',
    exit: 'refused',
  },
  RB326: {
    title: 'The answer is too large',
    help: 'A description is a few kilobytes. The answer was not read.',
  },
  RB327: {
    title: 'A server is busy with a session',
    help: 'It accepts connections and answers nobody while it resets its simulator, executes a chunk or computes one. That is no fault; ask again when the session has ended.',
    fix: 'Nothing needs to be done: a server answers nobody during a reset or a chunk. Ask again when the session has ended.',
    exit: 'refused',
  },
  RB434: {
    title: 'The host is not what the plan was made with',
    help: 'A pin of `plan-file` differs from what is observed: contract, target, RUNTIME.md, simulator, this program, or another that the message names. Put it back, plan anew, or accept the field by name with `accept-pins`.',
  },
  RB350: {
    title: 'The policy cannot be reached',
    help: 'Nothing answers at the policy endpoint within `policy-wait`. Start the policy server, or correct the endpoint.',
    exit: 'refused',
  },
  RB351: {
    title: 'The policy did not send its metadata',
    help: 'A policy server sends one MessagePack message when a client connects. Something else may listen at the endpoint.',
    exit: 'refused',
  },
  RB352: {
    title: 'Another policy than expected',
    help: 'The metadata of the policy server differs from `expect-policy`. Nothing was queued.',
    exit: 'refused',
  },
  RB353: {
    title: 'Both arms are the same policy',
    help: 'Candidate and baseline share an endpoint, or their servers send the same metadata, so the comparison would compare a policy with itself. Correct `baseline-endpoint`, or set `baseline: same` to measure rerun noise on purpose.',
    exit: 'refused',
  },
  RB354: {
    title: 'A release without a record of its policy',
    help: 'The runtime does not say which policy it asked, so a release is measured through a relay that records it. Leave `record-policy` out, or set it to `true`.',
  },
  RB355: {
    title: 'This policy cannot be recorded',
    help: '`dummy://local` answers inside the runtime: there is no connection that could be recorded. Serve the policy at `openpi://host:port`, or measure without `record-policy` and for another purpose than a release.',
    fix: 'Serve the policy at openpi://host:port, or measure without record-policy and not for a release.',
  },
  RB356: {
    title: 'No port to record the policy',
    help: "Each session in the queue gets a port of its own on the loopback device, and none could be opened. Raise the runner's limit of open files.",
    fix: 'Raise the limits of the runner process (open files, ports), or measure without record-policy.',
    exit: 'refused',
  },
  RB360: {
    title: 'Fork on a self-hosted runner',
    help: 'Code of a fork would run on the simulation host. Only the operator of the host can allow it.',
  },
  RB361: {
    title: 'Initial states that the suite does not have',
    help: 'A task of a LIBERO suite has 50 initial states, 0 to 49. Episodes of others end in an error and count as lost. Use `repeats` for more episodes.',
    severity: 'warning',
  },
  RB362: {
    title: 'The evidence of this target may not say what ran',
    help: 'An episode counts when its episode.json or final status names benchmark, task and initial state. The local dummy target never does, so it is refused; a target that describes no suite may not either. `evidence: session` counts such episodes by the target that their session named and by the session’s own success, which is weaker.',
  },
  RB363: {
    title: 'The plan leaves out the cell of the target config',
    help: '`tasks` and `init-states` choose the cells; `task_id` and `init_state_id` in the config of the target choose nothing, because each cell gets a target of its own. Give both inputs if the configured cell is meant.',
    fix: 'Give tasks and init-states if those of the config are meant.',
    severity: 'warning',
  },
  RB364: {
    title: 'The target answers later than the runtime waits',
    help: 'The runtime waits 30 s for each answer of a target, whatever the timeouts of a session say. Afterwards it reports a mismatched answer to another step, mostly `target.close`. Render on the GPU (MUJOCO_GL=egl), take smaller cameras, or free the host of other work.',
    severity: 'warning',
  },
  RB365: {
    title: 'Evidence that is too weak for this purpose',
    help: 'With `evidence: session` the simulator is not asked which task and initial state ran. A release and a qualification rest on its own account only.',
  },
  RB366: {
    title: 'Two cells with one cell target',
    help: 'The id of a cell target ends in a short hash of its config, and with `evidence: session` nothing else tells two cells apart. Another `target` id or any change of its config gives other hashes.',
    fix: "Change the target's id or anything in its config, such as a key of your own, and run again.",
    exit: 'refused',
  },
  RB370: {
    title: 'The disk is nearly full',
    help: 'Runtime and bundle write evidence into the workspace. Free some space first.',
  },
  RB371: {
    title: 'No qualification of this benchmark',
    help: 'A release needs proof that target, skill runtime and suite tell a good policy from a bad one. Run `rollout-bench qualify` on the host, or a step with `mode: qualify` before it.',
  },
  RB372: {
    title: 'The qualification is of something else',
    help: 'Target, contract, skill runtime or this program changed since the newest qualification, or floors and step settings are not those that it was made with, so it is void. Qualify again with the inputs of the run.',
  },
  RB373: {
    title: 'The qualification is too old',
    help: 'The newest qualification is older than `qualification-age`, or dated in the future. Qualify again.',
  },
  RB374: {
    title: 'The newest qualification did not pass',
    help: 'A control or damaged evidence came out wrong, or did not run. An older one that passed does not count any more. Mend the benchmark and qualify again.',
  },
  RB447: {
    title: 'The qualification is not what its evidence says',
    help: 'The newest qualification claims to have passed, but computed again from the bundles of its controls it says something else, or these are gone or changed. Qualify again.',
  },
} as const;
