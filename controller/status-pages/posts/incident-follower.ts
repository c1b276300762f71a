import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Tenant } from '../../access/tenant.ts';
import { AppError, type ErrorCode } from '../../errors/app-error.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';
import { DueWork, type WorkClaim } from '../../work/claimed-work.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import { automaticPost, automaticPostId, canStartPost, followUpOf } from './automatic-rules.ts';
import { MAX_POSTS, type PostDoc } from './post.ts';
import { addPost, revisePost, withUpdate } from './save-post.ts';
import type { PostDeps } from './verbs/write-post.ts';

interface FollowerDeps {
  incidents: {
    /** Incidents that pages must be notified of by `until` (Unix ms), without those `held`. */
    dueForPages(until: number, limit: number, held: readonly string[]): Promise<IncidentDoc[]>;
    /** Claims an incident for one controller; null if it has changed since `seen`. */
    claimForPages(seen: IncidentDoc, claim: WorkClaim): Promise<IncidentDoc | null>;
    /** Marks the claimed version as posted on these pages. */
    markPagesNotified(claimed: IncidentDoc, pageIds: string[]): Promise<void>;
  };
  posting: PostDeps;
  clock: Clock;
  log: Log;
  peers: Peers;
  /** Name of this controller. */
  holder: string;
}

const POLL_INTERVAL_MS = 5000;
/** Incidents per run; if there are more, the next run follows at once. */
const BATCH_SIZE = 100;
/** Incidents posted concurrently. */
const CONCURRENCY = 4;
/** Longer than posting one incident takes. */
const CLAIM_MS = 60_000;

/**
 * Posts incidents on pages. Each change of an incident is stored with a mark that stays until its pages are
 * updated, so a crash loses none and alerts never wait for pages.
 */
export class IncidentFollower {
  readonly #deps: FollowerDeps;
  readonly #task: PeriodicTask;
  readonly #work: DueWork<IncidentDoc>;
  #isStarted = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    const { incidents, clock, log, peers, holder } = deps;
    this.#work = new DueWork({
      clock, holder, ttlMs: CLAIM_MS, dueAt: ({ pages_due }) => pages_due,
      store: {
        due: (...args) => incidents.dueForPages(...args),
        claim: (...args) => incidents.claimForPages(...args),
      },
    });
    this.#task = new PeriodicTask({
      clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: POLL_INTERVAL_MS, peers, task: () => this.run(),
      onError: (error) => log.warn({ err: error }, 'could not publish incidents on status pages'),
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#task.start();
  }

  /** Called when an incident has changed. */
  readonly trigger = (): void => {
    if (this.#isStarted) this.#task.trigger();
  };

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Posts the incidents that are due now. Resolves to true if there are more. */
  run(): Promise<boolean | 'idle'> {
    const { incidents, posting, clock, log } = this.#deps;
    const onError = (error: unknown, { _id }: IncidentDoc) =>
      log.warn({ err: error, incident_id: _id }, 'could not publish an incident on status pages');
    return this.#work.runDue({ limit: BATCH_SIZE, concurrency: CONCURRENCY, onError }, async (claimed) =>
      incidents.markPagesNotified(claimed, await followIncident(posting, claimed, clock.now())));
  }
}

const FINAL_ERROR_CODES: readonly ErrorCode[] = ['RESOURCE_NOT_FOUND', 'FAIR_USE_LIMIT_REACHED'];

/**
 * Posts an incident on the published pages with automatic posts that show its monitors, and updates its posts
 * except those that a person has changed. Returns the ids of the pages with a post. Safe to repeat after a
 * crash.
 */
async function followIncident(deps: PostDeps, incident: IncidentDoc, now: number): Promise<string[]> {
  const tenant = { organizationId: incident.organization_id, projectId: incident.project_id };
  const monitorIds = publicMonitorIds(incident);
  const pages = monitorIds.length === 0 ? [] : await deps.pages.postingOn(tenant, monitorIds);
  const notifiedPageIds = new Set(incident.notified_page_ids);
  for (const page of pages) {
    const post = canStartPost(incident, page) ? automaticPost(incident, monitorIds, page, now) : null;
    if (post !== null && await startPost(deps, tenant, post)) notifiedPageIds.add(page._id);
  }
  for (const pageId of notifiedPageIds) await advancePost(deps, tenant, incident, pageId, now);
  return [...notifiedPageIds];
}

/** False if the page has no room. */
async function startPost(deps: PostDeps, tenant: Tenant, post: PostDoc): Promise<boolean> {
  const isFull = (await deps.posts.countOf(tenant, post.page_id)) >= MAX_POSTS;
  if (isFull && !(await deps.posts.deleteOldestAutomatic(tenant, post.page_id))) return false;
  await addPost(deps, post);
  return true;
}

async function advancePost(
  deps: PostDeps, tenant: Tenant, incident: IncidentDoc, pageId: string, now: number,
) {
  try {
    await revisePost(deps, tenant, pageId, automaticPostId(incident._id, pageId), (seen) => {
      const followUp = followUpOf(seen, incident);
      if (followUp === null) return null;
      const { severity, update } = followUp;
      const progress = update === null ? {} : withUpdate(seen, update.status, update.message, now);
      return { severity, updated_at: now, ...progress };
    });
  } catch (error) {
    // A person deleted the automatic post, or the page is full: a retry can't help.
    const isFinal = error instanceof AppError && FINAL_ERROR_CODES.includes(error.code);
    if (!isFinal) throw error;
  }
}

/** The monitors of an incident that pages may post; empty for an incident that is not public. */
function publicMonitorIds(incident: IncidentDoc): string[] {
  const { source, late, status_page_update, check_id, affected_monitor_ids } = incident;
  const isForReaders = late !== true && (source === 'system' || status_page_update !== null);
  if (!isForReaders) return [];
  return [...new Set(check_id === null ? affected_monitor_ids : [check_id, ...affected_monitor_ids])];
}
