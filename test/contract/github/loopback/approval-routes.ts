import { type Exchange, notFound, paged, type Reply, type Route } from './exchange.ts';

interface Person {
  readonly login: string;
  readonly id: number;
  readonly type?: 'User' | 'Bot';
}

/** One answer of a reviewer to a run that waited for an environment. */
export interface StoredReview {
  readonly runId: number;
  readonly environment: string;
  readonly state: 'approved' | 'rejected';
  readonly user: Person;
  readonly comment: string;
}

/** A line of a pull request's timeline; a commit has no time of GitHub's, only those its author wrote. */
export type StoredTimelineEvent =
  | {
      readonly issue: number;
      readonly event: 'labeled' | 'unlabeled';
      readonly id: number;
      readonly label: string;
      readonly actor: Person;
      readonly createdAt: string;
    }
  | { readonly issue: number; readonly event: 'committed'; readonly sha: string; readonly date: string }
  | {
      readonly issue: number;
      readonly event: 'head_ref_force_pushed' | 'head_ref_restored';
      readonly id: number;
      readonly actor: Person;
      readonly createdAt: string;
    };

export interface StoredActivity {
  readonly repo: string;
  readonly ref: string;
  readonly after: string;
  readonly timestamp: string;
  readonly type?: 'push' | 'force_push' | 'pr_merge' | 'branch_creation';
  /** Left out: somebody called `pusher`. */
  readonly actor?: Person;
  readonly before?: string;
}

/** Who allowed what: reviews of environments, labels, roles of people, and when branches were pushed to. */
export class ApprovalRoutes {
  readonly reviews: StoredReview[] = [];
  readonly timeline: StoredTimelineEvent[] = [];
  /** Newest first. */
  readonly activity: StoredActivity[] = [];
  /** What GitHub calls `permission`: admin, write, read or none. */
  readonly roles = new Map<string, string>();

  readonly routes: Record<string, Route> = {
    'actions/get-reviews-for-run': (exchange) => this.#reviews(exchange),
    'issues/list-events-for-timeline': (exchange) => this.#timeline(exchange),
    'repos/get-collaborator-permission-level': (exchange) => this.#permission(exchange),
    'repos/list-activities': (exchange) => this.#activity(exchange),
  };

  /** A required reviewer lets a run into an environment. */
  approveRun(runId: number, environment = 'release', user: Person = { login: 'ada', id: 7 }): void {
    this.reviews.push({ runId, environment, state: 'approved', user, comment: '' });
  }

  /** A person with write access looks at the head of a pull request, which was pushed before, and sets a label. */
  setLabel(
    pull: { number: number; headRepo: string; headRef: string; headSha: string },
    label: string,
  ): void {
    this.roles.set('ada', 'write');
    const ref = `refs/heads/${pull.headRef}`;
    this.activity.unshift({
      repo: pull.headRepo,
      ref,
      after: pull.headSha,
      timestamp: '2026-11-29T11:00:00Z',
    });
    this.timeline.push({
      issue: pull.number,
      event: 'labeled',
      id: 900 + this.timeline.length,
      label,
      actor: { login: 'ada', id: 7 },
      createdAt: '2026-11-29T12:00:00Z',
    });
  }

  #reviews({ params }: Exchange): Reply {
    const body = this.reviews
      .filter(({ runId }) => runId === Number(params['run_id']))
      .map(({ environment, state, user, comment }) => ({
        environments: [{ id: 1, name: environment }],
        state,
        user: userOf(user),
        comment,
      }));
    return { status: 200, body };
  }

  #timeline(exchange: Exchange): Reply {
    const issue = Number(exchange.params['issue_number']);
    const { page, headers } = paged(
      this.timeline.filter((event) => event.issue === issue),
      exchange,
    );
    return { status: 200, body: page.map(timelineAnswer), headers };
  }

  #permission({ params }: Exchange): Reply {
    const permission = this.roles.get(params['username'] ?? '');
    if (permission === undefined) return notFound();
    return { status: 200, body: { permission, role_name: permission } };
  }

  #activity({ params, query, origin, path }: Exchange): Reply {
    const repo = `${params['owner']}/${params['repo']}`;
    const found = this.activity.filter((each) => each.repo === repo && each.ref === query.get('ref'));
    // Paged by a cursor, which is whatever GitHub likes.
    const start = Number(query.get('after')?.replace('cursor-', '') ?? '0');
    const end = start + Number(query.get('per_page') ?? '30');
    const body = found.slice(start, end).map(({ ref, before, after, timestamp, type = 'push', actor }) => ({
      ref,
      before: before ?? '0'.repeat(40),
      after,
      timestamp,
      activity_type: type,
      actor: userOf(actor ?? { login: 'pusher', id: 11 }),
    }));
    const next = `<${origin}${path}?after=cursor-${end}>; rel="next"`;
    return { status: 200, body, headers: end < found.length ? { link: next } : {} };
  }
}

function userOf({ login, id, type = 'User' }: Person) {
  return { login, id, type };
}

function timelineAnswer(event: StoredTimelineEvent) {
  if (event.event === 'committed') {
    const signature = { email: 'made-up@example.com', name: 'made up', date: event.date };
    return {
      event: 'committed',
      sha: event.sha,
      author: signature,
      committer: signature,
      message: 'a change',
    };
  }
  const { id, actor, createdAt } = event;
  const label = 'label' in event ? { label: { name: event.label, color: 'ededed' } } : {};
  return { event: event.event, id, actor: userOf(actor), created_at: createdAt, ...label };
}
