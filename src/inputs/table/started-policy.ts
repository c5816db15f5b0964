import { notHandedOver } from '../../policy-process/environment.ts';
import * as kinds from './kinds.ts';
import { input } from './row.ts';

const MAX_COMMAND = 4000;

const command = kinds.text('shell line', MAX_COMMAND, { regex: /\S/, why: 'must not be blank' });

const variables = kinds.kind(
  'names of variables',
  (text): readonly string[] | kinds.Wrong => {
    const names = kinds.listItems(text);
    for (const name of names) {
      const why = notHandedOver(name);
      if (why !== null) return new kinds.Wrong(`names ${JSON.stringify(name.slice(0, 60))}, which ${why}`);
    }
    if (new Set(names).size !== names.length) return new kinds.Wrong('names something twice');
    return names.length === 0 ? new kinds.Wrong('must name at least one variable') : names;
  },
  true,
);

/** The policy that a run starts, proves and ends itself. */
export const STARTED_POLICY_INPUTS = {
  'policy-command': input(command, {
    key: 'policyCommand',
    level: 'everyday',
    short: 'shell line that starts the policy, at the port {port}',
    default: null,
    otherwise: 'the policy listens at `policy-endpoint` already',
    description:
      'Shell line that starts the policy in `policy-directory`. It gets a free port as `PORT` and for `{port}`, is ready when it sends its metadata there, is started once more if it dies, and is ended with everything that it started.',
    example: 'uv run scripts/serve_policy.py --env LIBERO --port {port}',
  }),
  'baseline-command': input(command, {
    key: 'baselineCommand',
    level: 'input',
    default: null,
    otherwise: 'no second policy is started',
    description:
      'The same for the baseline, in `baseline-directory`: both are measured on the same initial states and compared pair by pair.',
    example: 'uv run scripts/serve_policy.py --env LIBERO --port {port}',
  }),
  'policy-directory': input(kinds.path, {
    key: 'policyDirectory',
    level: 'input',
    default: null,
    otherwise: 'the working directory',
    description: 'Folder in which `policy-command` is started; its commit is recorded.',
    example: 'head',
  }),
  'baseline-directory': input(kinds.path, {
    key: 'baselineDirectory',
    level: 'input',
    default: null,
    otherwise: '`policy-directory`',
    description: 'Folder in which `baseline-command` is started, such as a checkout of the base commit.',
    example: 'base',
  }),
  'policy-stop-command': input(command, {
    key: 'policyStopCommand',
    default: null,
    otherwise: 'ending its processes is enough',
    description:
      'Shell line that ends what no signal reaches, such as a container; run in the same folder, with the same `PORT`, before the processes are ended.',
    example: 'docker rm --force policy-{port}',
  }),
  'policy-env': input(variables, {
    key: 'policyEnv',
    default: null,
    otherwise: 'PATH, HOME and PORT',
    description:
      'Names of variables that the commands get beside PATH, HOME and PORT. Secrets and what belongs to the job are refused.',
    example: 'CUDA_VISIBLE_DEVICES, XLA_PYTHON_CLIENT_MEM_FRACTION',
  }),
  checkpoint: input(kinds.path, {
    key: 'checkpoint',
    level: 'input',
    default: null,
    otherwise: 'its digest is not computed',
    description:
      "File or folder of the candidate's checkpoint on this machine: its digest is computed and recorded. An unchanged file is not read twice.",
    example: '/srv/checkpoints/pi05-libero-30k',
  }),
  arms: input(kinds.choice(['auto', 'together', 'sequential']), {
    key: 'arms',
    default: 'auto',
    description:
      'Whether both started policies run at once, in counterbalanced order, or the baseline after the candidate. `auto`: together when the memory of the host holds both.',
    example: 'sequential',
  }),
};
