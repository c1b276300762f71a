import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { FleetDirectory } from './directory.ts';
import type { Liveness } from './liveness.ts';
import { isEnrolled, type ProbeDoc } from './probe.ts';
import {
  decideQuarantines, problemOf, sparedProbes, type Agreement, type QuarantineDecision, type ProbeHealth,
} from './quarantine-rules.ts';
import type { ProbeStore } from './store.ts';

const POLL_INTERVAL_MS = 5000;
/** With fewer probes there is no majority to disagree with. */
const MIN_COMPARED_PROBES = 3;
const MAX_LOGGED_REASONS = 3;

export interface ProbeAgreements {
  pollNextShards(): Promise<void>;
  of(probeId: string): Agreement | null;
}

export interface QuarantinesDeps {
  directory: Pick<FleetDirectory, 'probes' | 'probe' | 'refresh'>;
  liveness: Pick<Liveness, 'track' | 'isLive'>;
  store: Pick<ProbeStore, 'enterQuarantine' | 'confirmQuarantine' | 'leaveQuarantine'>;
  /** Checks now whether monitors have to move. */
  rebalance(): void;
  clock: Clock;
  log: Log;
}

/** A probe was quarantined or released. Emitted once, by the controller that did it. */
export interface QuarantineChange {
  probe: ProbeDoc;
  isQuarantined: boolean;
  reason: string;
}

/** Since when (monotonic ms) a probe's problem, or its absence, has lasted continuously. */
interface Streak {
  isBad: boolean;
  sinceMono: number;
}

/**
 * Quarantines probes whose own problems would look like outages of their targets, and releases them. Every
 * controller decides by the beats it receives and the votes in all shards; the first write wins.
 */
export class Quarantines {
  readonly #deps: QuarantinesDeps;
  readonly #pollTask: PeriodicTask;
  readonly #streaks = new Map<string, Streak>();
  readonly #listeners: ((change: QuarantineChange) => void)[] = [];
  #agreements: ProbeAgreements | null = null;
  #isSparing = false;

  constructor(deps: QuarantinesDeps) {
    this.#deps = deps;
    this.#pollTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_INTERVAL_MS,
      task: () => this.#poll(),
      onError: (error) => deps.log.warn({ err: error }, 'could not decide on quarantines; will retry'),
    });
  }

  /** `agreements`: how a probe's votes compare with those of other regions. Each poll asks some shards. */
  compareBy(agreements: ProbeAgreements): void {
    this.#agreements = agreements;
  }

  start(): void {
    this.#pollTask.start();
  }

  stop(): Promise<void> {
    return this.#pollTask.stop();
  }

  /** Calls `listener` with each change that this controller makes. */
  onChange(listener: (change: QuarantineChange) => void): void {
    this.#listeners.push(listener);
  }

  async #poll(): Promise<void> {
    const { clock, directory } = this.#deps;
    const enrolled = [...directory.probes()].filter(isEnrolled);
    if (enrolled.length >= MIN_COMPARED_PROBES) await this.#agreements?.pollNextShards();
    for (const id of this.#streaks.keys()) if (!directory.probe(id)) this.#streaks.delete(id);
    const health = enrolled.map((probe) => this.#healthOf(probe));
    this.#logSpared(sparedProbes(health), enrolled.length);
    const decisions = decideQuarantines(health, clock.now());
    const changes: QuarantineChange[] = [];
    for (const decision of decisions) {
      const change = await this.#apply(decision);
      if (change) changes.push(change);
    }
    if (decisions.length > 0) await directory.refresh();
    if (changes.length > 0) this.#deps.rebalance();
    for (const change of changes) this.#notify(change);
  }

  #healthOf(probe: ProbeDoc): ProbeHealth {
    const { clock, liveness } = this.#deps;
    const { _id: id, quarantine = null, quarantined_before: before = null } = probe;
    const nowMono = clock.monotonic();
    const isLive = liveness.isLive(probe);
    const track = isLive ? liveness.track(id) : null;
    const found = problemOf(track, isLive ? this.#agreements?.of(id) ?? null : null, nowMono);
    const previous = this.#streaks.get(id);
    // A probe that sends no beats is neither good nor bad.
    const isSame = previous !== undefined && track !== null && previous.isBad === (found !== null);
    const streak = isSame ? previous : { isBad: found !== null, sinceMono: nowMono };
    this.#streaks.set(id, streak);
    return { id, isLive, quarantine, before, found, unchangedMs: nowMono - streak.sinceMono };
  }

  /** The change, or null if another controller has already made it. */
  async #apply({ kind, id, quarantine }: QuarantineDecision): Promise<QuarantineChange | null> {
    const { clock, directory, store } = this.#deps;
    const probe = directory.probe(id);
    if (!probe) return null;
    const { reason, since, clean_ms } = quarantine;
    if (kind === 'confirm') await store.confirmQuarantine(id, quarantine);
    else if (kind === 'enter') {
      if (await store.enterQuarantine(id, quarantine)) return { probe, isQuarantined: true, reason };
    } else if (await store.leaveQuarantine(id, since, { ended_at: clock.now(), clean_ms })) {
      return { probe, isQuarantined: false, reason };
    }
    return null;
  }

  /** Logs the begin and the end once each. The problem may be this controller. */
  #logSpared(spared: readonly ProbeHealth[], enrolled: number): void {
    const { log } = this.#deps;
    if (spared.length > 0 === this.#isSparing) return;
    this.#isSparing = spared.length > 0;
    if (!this.#isSparing) return log.info('the majority of probes is healthy again');
    const reasons =
      spared.slice(0, MAX_LOGGED_REASONS).map(({ id, found }) => ({ probe_id: id, reason: found?.reason }));
    const facts = { probes: spared.length, enrolled, reasons };
    log.error(facts, 'the majority of probes looks unhealthy, so none is quarantined; check this host, ' +
      'its clock and its network');
  }

  #notify(change: QuarantineChange): void {
    const { log } = this.#deps;
    const { probe: { _id: probe_id, name: probe_name, region_id: region }, isQuarantined, reason } = change;
    const facts = { probe_id, probe_name, region, reason };
    if (isQuarantined) log.error(facts, 'a probe was quarantined; it has no vote and gets no new monitors');
    else log.info(facts, 'a probe was released from quarantine');
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        log.error({ err: error }, 'quarantine listener failed');
      }
    }
  }
}
