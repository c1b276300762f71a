import { couldBeDown } from '../dependencies/dependency-rules.ts';
import type { PastIncident } from '../incidents/past-incident.ts';
import type { MonitorState } from '../verdicts/monitor-state.ts';
import type { ReplayedStep } from '../verdicts/replay.ts';
import type { MonitorEvent, MonitorEvents, Span } from './incident-events.ts';

interface Known {
  config: { monitor_id: string };
  incidents: readonly PastIncident[];
}

/** The events of a replayed monitor, and when checks in all regions would have failed. */
export class RecordedEvents {
  readonly #monitorId: string;
  readonly #ids = new Map<string, string>();
  /** Ids of past incidents by start, so that replayed incidents keep their ids. */
  readonly #pastIds = new Map<number, string[]>();
  /** What past incidents were found to have in common with others. */
  readonly #featuresOf: ReadonlyMap<string, string[]>;
  /** Incidents shown only by late results, which send no alerts. Results do not say how late they were. */
  readonly #late: ReadonlySet<string>;
  readonly #events: MonitorEvent[] = [];
  readonly #failing: Span[] = [];
  #failingSince: number | null = null;

  constructor({ config, incidents }: Known, asDecided: boolean) {
    this.#monitorId = config.monitor_id;
    this.#late = new Set(incidents.flatMap(({ id, late }) => (late ? [id] : [])));
    for (const { started_at: at, id } of incidents.toSorted((a, b) => a.opened_at - b.opened_at)) {
      if (!asDecided || !this.#late.has(id)) this.#pastIds.set(at, [...this.#pastIds.get(at) ?? [], id]);
    }
    this.#featuresOf = new Map(incidents.map(({ id, features }) => [id, features]));
  }

  /** Adds events of the past as they were. */
  addPast(events: MonitorEvent[]): void {
    this.#events.push(...events);
  }

  addFact(kind: 'acknowledge' | 'end_by_hand', at: number, incidentId: string): void {
    this.#events.push({ at, monitor_id: this.#monitorId, kind, incident_id: this.#idOf(incidentId) });
  }

  addStep({ at, before, state, effects }: ReplayedStep): void {
    const monitor_id = this.#monitorId;
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

  trackFailing(state: MonitorState, at: number): void {
    if (wouldFail(state)) this.#failingSince ??= at;
    else if (this.#failingSince !== null) {
      this.#failing.push({ from: this.#failingSince, until: at });
      this.#failingSince = null;
    }
  }

  /** Ends at `until`, Unix ms. */
  finish(until: number): MonitorEvents {
    if (this.#failingSince !== null) this.#failing.push({ from: this.#failingSince, until });
    return { events: this.#events.filter(({ at }) => at <= until), failing: this.#failing };
  }

  #name(id: string, startedAt: number): void {
    this.#ids.set(id, this.#pastIds.get(startedAt)?.shift() ?? id);
  }

  #idOf(id: string): string {
    return this.#ids.get(id) ?? id;
  }
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
