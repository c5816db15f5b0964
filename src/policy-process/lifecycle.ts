/** A policy that answered is started again this often when it dies; one that never answered is not. */
const RESTARTS = 1;

type Phase =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready' }
  /** Nothing more is tried. */
  | { readonly kind: 'failed'; readonly how: Failure };

/** `early`: it ended before it ever answered. `late`: it never answered in time. `again`: it died once too often. */
export interface Failure {
  readonly kind: 'early' | 'late' | 'again';
  /** How the process ended, or what was tried, in words. */
  readonly why: string;
}

/** What is known of one policy's process. */
export interface Life {
  readonly phase: Phase;
  readonly restarts: number;
  /** It has answered since it was last started on purpose. */
  readonly answered: boolean;
  /** How it died last, until somebody was told: whatever ran then lost its policy. */
  readonly untold: string | null;
}

export type LifeEvent =
  | { readonly type: 'start' }
  | { readonly type: 'answered' }
  | { readonly type: 'died'; readonly why: string }
  | { readonly type: 'late'; readonly why: string }
  | { readonly type: 'told' }
  | { readonly type: 'stop' };

export const UNBORN: Life = { phase: { kind: 'off' }, restarts: 0, answered: false, untold: null };

/** What becomes of a policy's process after an event, and whether its command is to be started now. Pure. */
export function lived(life: Life, event: LifeEvent): { readonly life: Life; readonly start: boolean } {
  const still = (change: Partial<Life>): ReturnType<typeof lived> => ({
    life: { ...life, ...change },
    start: false,
  });
  switch (event.type) {
    case 'start':
      return { life: { ...life, phase: { kind: 'starting' }, answered: false, untold: null }, start: true };
    case 'answered':
      return life.phase.kind === 'starting' ? still({ phase: { kind: 'ready' }, answered: true }) : still({});
    case 'died':
      return died(life, event.why);
    case 'late':
      return life.phase.kind === 'starting'
        ? still({ phase: { kind: 'failed', how: { kind: 'late', why: event.why } } })
        : still({});
    case 'told':
      return still({ untold: null });
    case 'stop':
      return still({ phase: { kind: 'off' }, answered: false, untold: null });
  }
}

function died(life: Life, why: string): ReturnType<typeof lived> {
  const { phase, restarts, answered } = life;
  if (phase.kind !== 'starting' && phase.kind !== 'ready') return { life, start: false };
  if (answered && restarts < RESTARTS)
    return {
      life: { ...life, phase: { kind: 'starting' }, restarts: restarts + 1, untold: why },
      start: true,
    };
  const how: Failure = { kind: answered ? 'again' : 'early', why };
  return { life: { ...life, phase: { kind: 'failed', how }, untold: null }, start: false };
}
