import { isDatabaseUnavailable, retryOnConflict } from '../platform/mongo/mongo-errors.ts';
import { featureParts } from '../verdicts/features/feature-rules.ts';
import { CAUSE_WINDOW_MS, countLimits, decideCauses, MIN_MONITORS, type Population } from './cause-rules.ts';
import type { StartedIncident, CauseDoc } from './cause.ts';
import type { DecisionDoc, DecisionStore } from './decision-store.ts';
import type { CauseStore } from './store.ts';

export interface CauseDeciderDeps {
  causes: Pick<CauseStore, 'include' | 'openAmong' | 'find' | 'end'>;
  decisions: Pick<DecisionStore, 'latest' | 'follow' | 'markApplied'>;
  incidents: {
    /** Those of the organization that may have a cause and began in this time, Unix ms; at most `limit`. */
    startedBetween(
      organizationId: string, from: number, to: number, limit?: number,
    ): Promise<StartedIncident[]>;
    /** Gives the cause to those of `ids` that have none. */
    setCause(causeId: string, ids: string[]): Promise<void>;
    hasOpen(causeId: string): Promise<boolean>;
    /** When the last one ended, Unix ms; null without any. */
    lastEnd(causeId: string): Promise<number | null>;
  };
  monitors: {
    /** How many monitors of the organization have each of these features; counts up to `limitOf` each. */
    counts(
      organizationId: string, features: readonly string[], limitOf: (feature: string) => number,
    ): Promise<Map<string, number>>;
    /** How many monitors of the organization have any feature; counts up to `limit`. */
    total(organizationId: string, limit: number): Promise<number>;
  };
  /** Queues the end of a cause for those who were notified of it. May be repeated. */
  onEnded(cause: CauseDoc): Promise<void>;
  /**
   * Called with an error other than that of an unavailable database: it is ours, and must not hold back the
   * alert. Without this, such an error rejects.
   */
  onError?(error: unknown, organizationId: string | null): void;
}

/** Incidents of one organization to decide about: those that began around this time, Unix ms. */
interface Span {
  from: number;
  to: number;
}

/** Chains and windows that an incident may be part of reach this far. */
const REACH_MS = 2 * CAUSE_WINDOW_MS;
/** Attempts while other controllers decide about the same organization. */
const MAX_ATTEMPTS = 100;

/**
 * Decides about causes as part of opening and resolving incidents, so that both are repeated together after a
 * crash. The decisions about one organization follow each other, whichever controllers make them: each is one
 * write, conditional on the last, and whoever decides next completes it first if need be.
 */
export class CauseDecider {
  readonly #deps: CauseDeciderDeps;
  /** By organization, the incidents that the next run decides about. */
  readonly #waiting = new Map<string, { span: Span; run: Promise<string[]> }>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(deps: CauseDeciderDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the incident has its cause, if it has one so far. Returns the incidents that got one. Many
   * that open at once share a decision. Rejects, to be repeated, if the database is unavailable.
   */
  decide(organizationId: string, startedAt: number): Promise<string[]> {
    return this.#contained(this.#join(organizationId, startedAt), [], organizationId);
  }

  #join(organizationId: string, startedAt: number): Promise<string[]> {
    const waiting = this.#waiting.get(organizationId);
    const own = { from: startedAt - REACH_MS, to: startedAt + REACH_MS };
    if (waiting) {
      waiting.span = { from: Math.min(waiting.span.from, own.from), to: Math.max(waiting.span.to, own.to) };
      return waiting.run;
    }
    const earlier = this.#running.get(organizationId) ?? Promise.resolve();
    const next = { span: own, run: Promise.resolve<string[]>([]) };
    next.run = earlier.catch(() => undefined).then(() => {
      this.#waiting.delete(organizationId);
      const run = this.#decide(organizationId, next.span).finally(() => {
        if (this.#running.get(organizationId) === run) this.#running.delete(organizationId);
      });
      this.#running.set(organizationId, run);
      return run;
    });
    this.#waiting.set(organizationId, next);
    return next.run;
  }

  /** Ends the cause if none of its incidents is open. May be repeated. Rejects as `decide`. */
  endIfOver(causeId: string): Promise<void> {
    return this.#contained(this.#endIfOver(causeId), undefined);
  }

  async #contained<T>(work: Promise<T>, fallback: T, organizationId: string | null = null): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { onError } = this.#deps;
      if (!onError || isDatabaseUnavailable(error)) throw error;
      onError(error, organizationId);
      return fallback;
    }
  }

  async #endIfOver(causeId: string): Promise<void> {
    const { causes, incidents, onEnded } = this.#deps;
    const cause = await causes.find(causeId);
    if (cause === null || await incidents.hasOpen(causeId)) return;
    const ended_at = await incidents.lastEnd(causeId) ?? cause.started_at;
    // First, because nobody repeats this for a cause that has ended.
    await onEnded({ ...cause, ended_at });
    await causes.end(causeId, ended_at);
  }

  #decide(organizationId: string, span: Span): Promise<string[]> {
    return retryOnConflict('The cause is', () => this.#attempt(organizationId, span), MAX_ATTEMPTS);
  }

  /** Null if another controller decided meanwhile. */
  async #attempt(organizationId: string, { from, to }: Span): Promise<string[] | null> {
    const { decisions, incidents } = this.#deps;
    const two = await incidents.startedBetween(organizationId, from, to, 2);
    if (two.length < 2) return [];
    const latest = await decisions.latest(organizationId);
    if (latest && !latest.is_applied) await this.#apply(latest);
    // Read after the latest decision, so that only a later one can be missing.
    const started = await incidents.startedBetween(organizationId, from, to);
    if (!canChange(started)) return [];
    const decided = await this.#decisionsOn(organizationId, started);
    if (decided.length === 0) return [];
    const next: DecisionDoc = {
      _id: organizationId, revision: (latest?.revision ?? 0) + 1, decisions: decided, is_applied: false,
    };
    if (!(await decisions.follow(latest, next))) return null;
    await this.#apply(next);
    return decided.flatMap(({ incident_ids }) => incident_ids);
  }

  async #decisionsOn(organizationId: string, started: StartedIncident[]): Promise<DecisionDoc['decisions']> {
    const { causes } = this.#deps;
    const open = await causes.openAmong([...new Set(started.flatMap(({ cause_id }) => cause_id ?? []))]);
    const openCauses = new Map(open.map(({ _id, kind, value }) => [_id, `${kind}:${value}`]));
    const population = await this.#population(organizationId, started, new Set(openCauses.values()));
    return decideCauses(organizationId, started, openCauses, population)
      .map((one) => {
        const ids = new Set(one.incident_ids);
        const members = started.filter(({ id }) => ids.has(id));
        return {
          ...one, monitors_having: population.having.get(one.feature) ?? MIN_MONITORS,
          project_ids: [...new Set(members.map(({ project_id }) => project_id))],
          started_at: members.reduce((first, { started_at: at }) => Math.min(first, at), Infinity),
        };
      });
  }

  /** Counts only as far as the decision needs, except those with the feature of an open cause. */
  async #population(
    organizationId: string, started: readonly StartedIncident[], open: ReadonlySet<string>,
  ): Promise<Population> {
    const { monitors } = this.#deps;
    const { features, havingLimit, totalLimit } = countLimits(started);
    const counted = [...new Set([...features, ...open])];
    const having = await monitors.counts(organizationId, counted, (feature) => (
      open.has(feature) ? Infinity : havingLimit(feature)
    ));
    const limit = totalLimit(having);
    return { having, total: limit === null ? 0 : await monitors.total(organizationId, limit) };
  }

  async #apply(doc: DecisionDoc): Promise<void> {
    const { causes, decisions, incidents } = this.#deps;
    for (const { cause_id: _id, feature, incident_ids, ...found } of doc.decisions) {
      await causes.include({
        _id, organization_id: doc._id, ...featureParts(feature), ...found, ended_at: null,
      });
      await incidents.setCause(_id, incident_ids);
      // Their incidents may have ended before they had a cause.
      await this.#endIfOver(_id);
    }
    await decisions.markApplied(doc);
  }
}

/** Whether an incident may get a cause: one of enough monitors, or one that exists. */
function canChange(started: readonly StartedIncident[]): boolean {
  const isDecided = ({ cause_id }: StartedIncident) => cause_id !== null;
  return !started.every(isDecided) && (started.some(isDecided) || countLimits(started).features.length > 0);
}
