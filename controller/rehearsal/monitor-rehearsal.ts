import type { PastIncident } from '../incidents/past-incident.ts';
import type { ResultColumns } from '../results/hours/result-columns.ts';
import type { StoredResult } from '../results/hours/stored-result.ts';
import { overdueRow } from '../results/hours/ping-rows.ts';
import { featureParts, type FeatureKind } from '../verdicts/features/feature-rules.ts';
import type { MonitorConfig } from '../verdicts/monitor-config.ts';
import type { MonitorState, StatusChange } from '../verdicts/monitor-state.ts';
import { Replay, type ReplayedStep } from '../verdicts/replay.ts';
import { HOUR_MS } from '../verdicts/time-accounting/time-accounting-rules.ts';
import { regionSilentAfterMs } from '../verdicts/votes/region-rules.ts';
import { eventsOf, type MonitorEvents } from './incident-events.ts';
import { PastDecisions } from './past-decisions.ts';
import { latestOfQuietHour } from './quiet-hour.ts';
import { RecordedEvents } from './recorded-events.ts';

/** What a user did to a monitor at `at`, Unix ms. */
export type Fact = { at: number; kind: 'pause' | 'resume' | 'acknowledge' | 'end_by_hand' };

/** What is known about a monitor besides its results. */
export interface MonitorFacts {
  /** The current configuration, with past maintenance. */
  config: MonitorConfig;
  /** Of its status, in order; the first one tells what was before. */
  changes: readonly StatusChange[];
  /** In order. */
  facts: Fact[];
  /** The current features. */
  features: readonly string[];
  /** By ascending start. */
  incidents: PastIncident[];
  /** As in `noDataAt`, ms. */
  noDataAfterMs: number;
}

interface Received {
  row: StoredResult;
  /** When it was received, Unix ms. */
  at: number;
}

const NO_PING = overdueRow(0).error?.message;

/**
 * Replays the stored results of one monitor hour by hour: under another policy, or as everything was decided.
 */
export class MonitorRehearsal {
  readonly #known: MonitorFacts;
  readonly #events: RecordedEvents;
  /** Null under another policy. */
  readonly #past: PastDecisions | null;
  #facts: readonly Fact[];
  #replay: Replay | null = null;
  /** Results received after the hour in which they started. */
  #left: Received[] = [];
  /** The last hour in which each region reported. */
  readonly #reportedIn = new Map<string, number>();

  constructor(known: MonitorFacts, asDecided: boolean) {
    this.#known = known;
    this.#facts = known.facts;
    this.#events = new RecordedEvents(known, asDecided);
    this.#past = asDecided ? new PastDecisions(known, knownOf(known.features), {
      onStep: (step) => this.#events.addStep(step),
      onFact: (fact, replay) => this.#applyFact(fact, replay),
    }) : null;
  }

  /** Adds the results of the next hour. Hours without results may be omitted. */
  addHour(hour: number, columns: ResultColumns): void {
    if (columns.length === 0) return;
    this.#replay ??= this.#begin(hour);
    this.#assign(hour, columns);
    const isFactual = (this.#facts[0]?.at ?? Infinity) < hour + 2 * HOUR_MS;
    const mayBeQuiet = this.#left.length === 0 && !isFactual
      && (this.#past?.isQuietUntil(hour + 2 * HOUR_MS) ?? true);
    const quiet = mayBeQuiet ? latestOfQuietHour(this.#replay.state, hour, columns) : null;
    if (quiet) return this.#replay.addGood(quiet);
    const rows = columns.rows().filter(({ late }) => !late);
    const received = [...this.#left, ...rows.map((row) => ({ row, at: this.#endOf(row) }))];
    this.#left = [];
    for (const one of received.sort((a, b) => a.at - b.at)) {
      if (one.at < hour + HOUR_MS) this.#add(one);
      else this.#left.push(one);
    }
  }

  /** Ends at `until`, Unix ms. */
  finish(until: number): MonitorEvents {
    const replay = this.#replay ?? this.#begin(until);
    for (const one of this.#left) if (one.at < until) this.#add(one);
    this.#applyFacts(until);
    replay.advanceTo(until);
    this.#past?.finish(until);
    return this.#events.finish(until);
  }

  /**
   * Assigns the regions that reported. The current regions may differ from those in the past.
   */
  #assign(hour: number, { sources }: ResultColumns): void {
    const replay = this.#replay as Replay;
    const { assigned, heartbeat } = replay.state.config;
    if (!assigned || heartbeat) return;
    for (const { region, received } of sources) if (!received) this.#reportedIn.set(region, hour);
    const since = hour - regionSilentAfterMs(replay.state.config);
    const present = [...this.#reportedIn].flatMap(([region, last]) => (last >= since ? [region] : [])).sort();
    if (present.join() !== assigned.join()) replay.assign(present, hour);
  }

  /** Before the first stored result or decision, uses past incidents as they were. */
  #begin(hour: number): Replay {
    const { config, incidents, features, changes, noDataAfterMs } = this.#known;
    const from = this.#past ? changes[0]?.at ?? Infinity : hour;
    const past = incidents.filter(({ ended }) => ended !== null && ended.at < from);
    this.#events.addPast(past.flatMap((one) => eventsOf(one, config)).sort((a, b) => a.at - b.at));
    const seen = { ...knownOf(features), noDataAfterMs };
    const replay = new Replay(config, hour, (step) => this.#onStep(step), seen);
    const earlier = this.#facts.filter(({ at }) => at < hour);
    const isPaused = earlier.findLast(({ kind }) => kind === 'pause' || kind === 'resume')?.kind === 'pause';
    this.#facts = this.#facts.slice(earlier.length);
    if (isPaused) replay.setActive(false, hour);
    return replay;
  }

  #add({ row, at }: Received): void {
    this.#applyFacts(at);
    const { started_at, outcome, error } = row;
    if (!this.#known.config.heartbeat) this.#replay?.add(row, at);
    else {
      const kind = outcome === 'success' ? 'success' : error?.message === NO_PING ? 'overdue' : 'fail';
      this.#replay?.addPing({ kind, at: started_at });
    }
  }

  /** A result counts as received when its check ended. */
  #endOf({ started_at, response_time_ms, error }: StoredResult): number {
    if (this.#known.config.heartbeat) return started_at;
    const timeoutMs = error?.type === 'timeout' ? this.#known.config.timeout_ms : 0;
    return started_at + (response_time_ms ?? timeoutMs);
  }

  #applyFacts(until: number): void {
    for (let fact = this.#facts[0]; fact !== undefined && fact.at <= until; fact = this.#facts[0]) {
      this.#facts = this.#facts.slice(1);
      this.#applyFact(fact, this.#replay as Replay);
    }
  }

  #applyFact({ kind, at }: Fact, replay: Replay): void {
    if (kind === 'pause' || kind === 'resume') return replay.setActive(kind === 'resume', at);
    replay.advanceTo(at);
    const { outage } = replay.state;
    if (outage === null) return;
    if (!this.#past || replay !== this.#replay) this.#events.addFact(kind, at, outage.incident_id);
    if (kind === 'end_by_hand') replay.endIncident(at);
  }

  #onStep(step: ReplayedStep): void {
    this.#events.trackFailing(step.state, step.at);
    if (this.#past) this.#past.follow(step);
    else this.#events.addStep(step);
  }
}

/** Results do not contain addresses and certificates, so the current ones are used. */
function knownOf(features: readonly string[]): Pick<MonitorState, 'addresses' | 'certificate'> {
  const parts = features.map(featureParts);
  const valuesOf = (wanted: FeatureKind) => (
    parts.filter(({ kind }) => kind === wanted).map(({ value }) => value)
  );
  const addresses = valuesOf('address').map((address) => ({ address, at: Infinity }));
  const seen = valuesOf('certificate').map((fingerprint256) => ({
    fingerprint256, protocol: '', problem: null, expires_at: null, flaws: [], regions: {},
  }));
  return {
    addresses: addresses.length > 0 ? addresses : null,
    certificate: seen.length > 0 ? { seen, warnings: [], due: null } : null,
  };
}
