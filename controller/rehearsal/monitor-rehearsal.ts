import { couldBeDown } from '../dependencies/dependency-rules.ts';
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
import { eventsOf, type MonitorEvent, type MonitorEvents, type Span } from './incident-events.ts';
import { PastDecisions } from './past-decisions.ts';
import { latestOfQuietHour } from './quiet-hour.ts';

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
  readonly #ids = new Map<string, string>();
  /** Ids of past incidents by start, so that replayed incidents keep their ids. */
  readonly #pastIds = new Map<number, string[]>();
  /** What past incidents were found to have in common with others. */
  readonly #featuresOf: ReadonlyMap<string, string[]>;
  readonly #events: MonitorEvent[] = [];
  readonly #failing: Span[] = [];
  /** Null under another policy. */
  readonly #past: PastDecisions | null;
  /** Incidents shown only by late results, which send no alerts. Results do not say how late they were. */
  readonly #late: ReadonlySet<string>;
  #facts: readonly Fact[];
  #replay: Replay | null = null;
  /** Results received after the hour in which they started. */
  #left: Received[] = [];
  #failingSince: number | null = null;
  /** The last hour in which each region reported. */
  readonly #reportedIn = new Map<string, number>();

  constructor(known: MonitorFacts, asDecided: boolean) {
    this.#known = known;
    this.#facts = known.facts;
    this.#late = new Set(known.incidents.flatMap(({ id, late }) => (late ? [id] : [])));
    for (const { started_at: at, id } of known.incidents.toSorted((a, b) => a.opened_at - b.opened_at)) {
      if (!asDecided || !this.#late.has(id)) this.#pastIds.set(at, [...this.#pastIds.get(at) ?? [], id]);
    }
    this.#featuresOf = new Map(known.incidents.map(({ id, features }) => [id, features]));
    this.#past = asDecided ? new PastDecisions(known, knownOf(known.features), {
      onStep: (step) => this.#record(step),
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
    if (this.#failingSince !== null) this.#failing.push({ from: this.#failingSince, until });
    return { events: this.#events.filter(({ at }) => at <= until), failing: this.#failing };
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
    const { config, incidents, features, changes } = this.#known;
    const from = this.#past ? changes[0]?.at ?? Infinity : hour;
    const past = incidents.filter(({ ended }) => ended !== null && ended.at < from);
    this.#events.push(...past.flatMap((one) => eventsOf(one, config)).sort((a, b) => a.at - b.at));
    const replay = new Replay(config, hour, (step) => this.#onStep(step), knownOf(features));
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
    const { config: { monitor_id } } = this.#known;
    if (!this.#past || replay !== this.#replay) {
      this.#events.push({ at, monitor_id, kind, incident_id: this.#idOf(outage.incident_id) });
    }
    if (kind === 'end_by_hand') replay.endIncident(at);
  }

  #onStep(step: ReplayedStep): void {
    this.#trackFailing(step.state, step.at);
    if (this.#past) this.#past.follow(step);
    else this.#record(step);
  }

  #record({ at, before, state, effects }: ReplayedStep): void {
    const { config: { monitor_id } } = this.#known;
    const openId = (of: MonitorState) => of.outage?.incident_id;
    for (const effect of effects) {
      if (effect.kind === 'open' && !effect.opening.late) this.#name(effect.opening.id, effect.opening.started_at);
    }
    if (before.status !== state.status || before.since !== state.since || openId(before) !== openId(state)) {
      const { status, since, outage } = state;
      const open_incident = outage && { id: this.#idOf(outage.incident_id) };
      this.#events.push({ at, monitor_id, kind: 'status', status, since, open_incident });
    }
    for (const effect of effects) {
      if (effect.kind === 'open' && !effect.opening.late) {
        const id = this.#idOf(effect.opening.id);
        const features = this.#featuresOf.get(id) ?? effect.opening.features;
        const opening = { ...effect.opening, id, ...(features ? { features } : {}) };
        this.#events.push({ at, monitor_id, kind: 'open', opening });
      } else if (effect.kind === 'resolve' && this.#ids.has(effect.resolution.id)) {
        const resolution = { ...effect.resolution, id: this.#idOf(effect.resolution.id) };
        this.#events.push({ at, monitor_id, kind: 'resolve', resolution });
      } else if (effect.kind === 'alert' && ['monitor.down', 'monitor.up'].includes(effect.alert.event)) {
        const { alert, alert: { incident } } = effect;
        const about = incident && { ...incident, id: this.#idOf(incident.id) };
        if (this.#late.has(about?.id ?? '')) continue;
        this.#events.push({ at, monitor_id, kind: 'alert', alert: { ...alert, incident: about } });
      }
    }
  }

  #name(id: string, startedAt: number): void {
    this.#ids.set(id, this.#pastIds.get(startedAt)?.shift() ?? id);
  }

  #idOf(id: string): string {
    return this.#ids.get(id) ?? id;
  }

  #trackFailing(state: MonitorState, at: number): void {
    if (wouldFail(state)) this.#failingSince ??= at;
    else if (this.#failingSince !== null) {
      this.#failing.push({ from: this.#failingSince, until: at });
      this.#failingSince = null;
    }
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

/** Whether checks in all regions now, with the outcomes of their latest results, would hold alerts. */
function wouldFail({ config, regions }: MonitorState): boolean {
  let hasFailed = false;
  for (const name in regions) hasFailed ||= (regions[name]?.fails ?? 0) > 0;
  if (!hasFailed) return false;
  // A silent region could not check.
  const seen = Object.entries(regions).filter(([, { verdict, fails }]) => verdict !== 'unknown' || fails > 0);
  return couldBeDown(config, seen.map(([region, { fails, recovery }]) => (
    { region, result: { outcome: fails > 0 && recovery === undefined ? 'failure' : 'success' } }
  )));
}
