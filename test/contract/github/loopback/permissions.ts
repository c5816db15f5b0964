import type { Access, PermissionName, Permissions } from './exchange.ts';

interface Need {
  /** Any one of these is enough. */
  readonly anyOf: readonly (readonly [PermissionName, Access])[];
}

const CONTENTS_READ: Need = { anyOf: [['contents', 'read']] };
const CONTENTS_WRITE: Need = { anyOf: [['contents', 'write']] };
const TALK_READ: Need = {
  anyOf: [
    ['issues', 'read'],
    ['pull-requests', 'read'],
  ],
};
const TALK_WRITE: Need = {
  anyOf: [
    ['issues', 'write'],
    ['pull-requests', 'write'],
  ],
};
const CHECKS_WRITE: Need = { anyOf: [['checks', 'write']] };
const ACTIONS_READ: Need = { anyOf: [['actions', 'read']] };
/** What every token may read: "metadata". */
const FREE: Need = { anyOf: [] };

/** What GitHub's documentation asks of a token for each operation. */
const NEEDS: Readonly<Record<string, Need>> = {
  'repos/get-branch': CONTENTS_READ,
  'git/get-ref': CONTENTS_READ,
  'git/create-ref': CONTENTS_WRITE,
  'git/update-ref': CONTENTS_WRITE,
  'git/get-commit': CONTENTS_READ,
  'git/create-commit': CONTENTS_WRITE,
  'git/get-tree': CONTENTS_READ,
  'git/create-tree': CONTENTS_WRITE,
  'git/get-blob': CONTENTS_READ,
  'git/create-blob': CONTENTS_WRITE,
  'repos/compare-commits': CONTENTS_READ,
  'repos/list-commits': CONTENTS_READ,
  'repos/get-content': CONTENTS_READ,
  'issues/list-comments': TALK_READ,
  'issues/get-comment': TALK_READ,
  'issues/create-comment': TALK_WRITE,
  'issues/update-comment': TALK_WRITE,
  'issues/delete-comment': TALK_WRITE,
  'repos/list-pull-requests-associated-with-commit': { anyOf: [['pull-requests', 'read']] },
  'pulls/get': { anyOf: [['pull-requests', 'read']] },
  'pulls/list': { anyOf: [['pull-requests', 'read']] },
  'checks/create': CHECKS_WRITE,
  'checks/update': CHECKS_WRITE,
  'checks/list-for-ref': { anyOf: [['checks', 'read']] },
  'actions/list-workflow-run-artifacts': ACTIONS_READ,
  'actions/download-artifact': ACTIONS_READ,
  'actions/get-workflow-run': ACTIONS_READ,
  'actions/list-jobs-for-workflow-run': ACTIONS_READ,
  'actions/get-reviews-for-run': ACTIONS_READ,
  'issues/list-events-for-timeline': TALK_READ,
  'repos/get-collaborator-permission-level': FREE,
  'repos/list-activities': CONTENTS_READ,
  'repos/get-release-by-tag': CONTENTS_READ,
  'repos/list-releases': CONTENTS_READ,
  'repos/list-release-assets': CONTENTS_READ,
  'repos/upload-release-asset': CONTENTS_WRITE,
  'repos/delete-release-asset': CONTENTS_WRITE,
};

/** @returns what the token lacks, as GitHub writes it into x-accepted-github-permissions; null when nothing. */
export function lacking(operation: string, held: Permissions): string | null {
  const need = NEEDS[operation];
  if (need === undefined) throw new Error(`no permission is noted for ${operation}`);
  const enough =
    need === FREE || need.anyOf.some(([name, access]) => held[name] === 'write' || held[name] === access);
  if (enough) return null;
  return need.anyOf.map(([name, access]) => `${name.replace('-', '_')}=${access}`).join('; ');
}
