/** What `init` knows of each kind of simulation server. Pure. */
export interface Kit {
  /** Id of the target and of its contract's file. */
  readonly targetId: string;
  readonly skillId: string;
  readonly targetRuntime: string;
  readonly targetAdapter: string;
  readonly policyAdapter: string;
  /** The contract names what a policy sees; of LIBERO the adapter knows it. */
  readonly contractRules: boolean;
  /** How such a server is started, for who has none. */
  readonly start: string;
}

/** Where the servers of docs/simulators and those of LIBERO and openpi listen unless told otherwise. */
export const DEFAULT_TARGET = 'targetws://127.0.0.1:9002';
export const DEFAULT_POLICY = 'openpi://127.0.0.1:8000';

const BY_CONTRACT = {
  skillId: 'openpi_policy',
  targetRuntime: 'TargetWSProxy',
  targetAdapter: 'target_adapter://contract_adapter',
  policyAdapter: 'policy_adapter://openpi_contract_adapter',
  contractRules: true,
} as const;

export const KITS = {
  metaworld: {
    ...BY_CONTRACT,
    targetId: 'metaworld',
    start: 'python docs/simulators/metaworld_server.py --port 9002',
  },
  gymnasium: {
    ...BY_CONTRACT,
    targetId: 'gymnasium',
    start: 'python docs/simulators/gymnasium_server.py CartPole-v1 --success 475 --port 9002',
  },
  libero: {
    targetId: 'libero',
    skillId: 'openpi_libero',
    targetRuntime: 'LiberoRemoteTargetProxy',
    targetAdapter: 'target_adapter://libero_adapter',
    policyAdapter: 'policy_adapter://openpi_pi05_adapter',
    contractRules: false,
    start: 'python docs/simulators/libero_server.py --port 9002',
  },
} as const satisfies Record<string, Kit>;

export type KitName = keyof typeof KITS;

export function isKitName(name: string): name is KitName {
  return Object.hasOwn(KITS, name);
}

/** The kit for a target by what it says of itself: LIBERO by the observation its adapter wants, all else by contract. */
export function kitFor(suite: string | null, channels: readonly string[]): Kit {
  if (channels.includes('robot0_eef_quat') && channels.includes('agentview_image')) return KITS.libero;
  const id = (suite ?? 'simulator')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return { ...BY_CONTRACT, targetId: id === '' ? 'simulator' : id, start: KITS.gymnasium.start };
}
