import { type ApprovalSource, SOURCES } from '../model/approval.ts';
import type { OperatorRules } from './operator-rules.ts';

/** The input `approval`. */
type ApprovalWish = 'auto' | 'none' | ApprovalSource;

export interface ApprovalQuestion {
  readonly purpose: string;
  /** Planned sessions. */
  readonly sessions: number;
  /** Code of a fork, or of nobody knows whom, on a self-hosted runner. */
  readonly fork: boolean;
  readonly inActions: boolean;
  readonly wish: ApprovalWish;
  /** Null: the operator demands nothing. */
  readonly operator: OperatorRules | null;
}

export type ApprovalNeed =
  /** `waived` says why a run that would need one goes without; null when it would not need one. */
  | { readonly needed: false; readonly waived: string | null }
  | { readonly needed: true; readonly why: string; readonly sources: readonly ApprovalSource[] };

/**
 * Whether a run needs an approval, why, and from where it may come; no source is left where the operator and the input
 * contradict each other. Pure. A pull request can edit its workflow, so the operator's word counts whatever the input
 * says, and a fork cannot excuse itself.
 */
export function approvalNeed(question: ApprovalQuestion): ApprovalNeed {
  const { wish, operator, inActions, purpose } = question;
  const why = operatorsReason(question) ?? wishedReason(question);
  if (why === null) {
    const waived =
      wish === 'none' && inActions && purpose === 'release' ? 'the workflow sets approval: none' : null;
    return { needed: false, waived };
  }
  const wished = wish === 'auto' || wish === 'none' ? SOURCES : [wish];
  const allowed = operator?.sources ?? SOURCES;
  return { needed: true, why, sources: wished.filter((source) => allowed.includes(source)) };
}

function operatorsReason({ operator, purpose, fork, sessions }: ApprovalQuestion): string | null {
  if (operator === null) return null;
  if (operator.purposes.includes(purpose))
    return `the operator of the host demands one for purpose ${purpose}`;
  if (operator.forks && fork) return "the operator of the host demands one for forks' pull requests";
  const { sessionsAbove } = operator;
  if (sessionsAbove === null || sessions <= sessionsAbove) return null;
  return `the operator of the host demands one above ${sessionsAbove} sessions, and ${sessions} are planned`;
}

function wishedReason({ wish, inActions, fork, purpose }: ApprovalQuestion): string | null {
  if (inActions && fork) return "it runs the code of a fork's pull request";
  if (wish === 'none') return null;
  if (wish !== 'auto') return `the input approval asks for one (${wish})`;
  return inActions && purpose === 'release' ? 'its purpose is release' : null;
}
