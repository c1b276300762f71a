import { derivedId } from '../../shared/ids.ts';
import type { CheckError, ErrorType } from '../../shared/contracts/result.ts';
import type { Alert, AlertEvent, IncidentOpening, VoteRecord } from './effect.ts';
import type { Severity } from './monitor-config.ts';
import type { MonitorEffect, MonitorState, Outage, RegionChange, StatusChange } from './monitor-state.ts';
import { castVotes, summaryOf } from './votes/quorum-rules.ts';

/**
 * An item's position: its journal entry, and how many effects that entry has created for the monitor,
 * including withdrawn ones.
 */
export interface ItemPlace {
  n: number;
  index: number;
}

const SEVERITY: Record<ErrorType, Severity> = {
  timeout: 'critical', connection_error: 'critical', dns_error: 'critical', ssl_error: 'critical',
  status_code: 'major', keyword_missing: 'major', dns_validation_error: 'major', slow_response: 'major',
};

type StatusMove = Pick<StatusChange, 'from' | 'to' | 'at' | 'reason'>;

/** One journal item passing through a monitor's rules, which may replace the state and add effects. */
export class MonitorStep {
  readonly before: MonitorState;
  /** Rules replace it and never mutate it. */
  state: MonitorState;
  /** In execution order. */
  effects: MonitorEffect[] = [];
  /** Withdrawn effects, whose ids must not be reused. */
  omitted = 0;
  readonly #place: ItemPlace;

  constructor(before: MonitorState, place: ItemPlace) {
    this.before = before;
    this.state = before;
    this.#place = place;
  }

  get regions(): string[] {
    return Object.keys(this.state.regions);
  }

  /** An id for the next effect. It depends only on the journal position, so a replay yields the same. */
  id(kind: string): string {
    const { n, index } = this.#place;
    return derivedId(this.state.config.monitor_id, n, index + this.omitted + this.effects.length, kind);
  }

  /** Increases with each effect of a monitor, and is the same in a replay. */
  get position(): number {
    const { n, index } = this.#place;
    return n * 1000 + Math.min(999, index + this.omitted + this.effects.length);
  }

  /** An outage with this error, or a generic one if no result has an error. */
  outage(kind: string, startedAt: number, failures: number, error?: CheckError | null): Outage {
    const { type, message } = error ?? { type: 'connection_error', message: 'The check failed' };
    return {
      incident_id: this.id(kind), started_at: startedAt, failure_count: failures, type, message,
      severity: this.state.config.alert_severity ?? SEVERITY[type],
    };
  }

  /** Adds an entry to the status history. */
  addHistory({ from, to, at, reason }: StatusMove, outage: Outage | null): void {
    const { config: { monitor_id, organization_id, project_id }, maintenance_since: since } = this.state;
    const change: StatusChange = {
      id: this.id('status'), monitor_id, organization_id, project_id,
      from, to, at, reason, incident_id: outage?.incident_id ?? null,
      // A change from before maintenance may be applied after its start.
      ...(since === null || at < since || to === 'paused' ? {} : { in_maintenance: true as const }),
    };
    this.effects.push({ kind: 'status', change });
  }

  /** Records a region's new status. */
  addRegionChange(move: Pick<RegionChange, 'region' | 'status' | 'previous_status' | 'at'>): void {
    const { config: { monitor_id, organization_id, project_id }, regions, outage } = this.state;
    const { reason, error } = regions[move.region] ?? {};
    this.effects.push({ kind: 'region', change: {
      id: this.id('region'), monitor_id, organization_id, project_id, ...move,
      reason: reason ?? error?.message ?? null, incident_id: outage?.incident_id ?? null,
    } });
  }

  /** Opens the incident of an outage or a slow period. */
  open(outage: Outage, regions: string[], late?: true): void {
    const opening: IncidentOpening = {
      id: outage.incident_id, monitor: this.state.config, severity: outage.severity, type: outage.type,
      error_message: outage.message, affected_regions: regions,
      failure_count: outage.failure_count, started_at: outage.started_at,
    };
    this.effects.push({ kind: 'open', opening: late ? { ...opening, late } : opening });
  }

  /** Resolves the incident, at the earliest at its start. */
  resolve({ incident_id: id, started_at, failure_count }: Outage, at: number): void {
    const { config: monitor } = this.state;
    const resolution = { id, monitor, resolved_at: Math.max(at, started_at), failure_count };
    this.effects.push({ kind: 'resolve', resolution });
  }

  /** Records the current votes as the reason for the start or end of an outage. */
  addVotes(verdict: VoteRecord['verdict'], outage: Outage, at: number): void {
    const { monitor_id, organization_id, project_id, quorum: regions, retries } = this.state.config;
    this.effects.push({ kind: 'votes', record: {
      id: this.id('votes'), organization_id, project_id, monitor_id, incident_id: outage.incident_id,
      at, verdict, policy: { regions, retries }, votes: castVotes(this.state),
    } });
  }

  /** Alerts of an outage's start (`resolvedAt` null) or end. */
  alertOutage(event: AlertEvent, outage: Outage, regions: string[], resolvedAt: number | null): void {
    const { incident_id: id, started_at, type, message, severity } = outage;
    const { last_success_at: at, last_success_ms: ms } = this.state;
    const votes = event === 'monitor.down' ? summaryOf(castVotes(this.state)) : null;
    this.alert(event, {
      incident: { id, started_at, resolved_at: resolvedAt }, error: { type, message }, severity, regions,
      ...(votes ? { votes } : {}), ...(event === 'monitor.down' && outage.reopened ? { reopened: true } : {}),
      last_success: at === null ? null : { at, response_time_ms: ms }, at: resolvedAt ?? started_at,
    });
  }

  alert(event: AlertEvent, rest: Omit<Alert, 'id' | 'event' | 'monitor'>, kind: string = event): void {
    const alert = { id: this.id(kind), event, monitor: this.state.config, ...rest };
    this.effects.push({ kind: 'alert', alert });
  }
}
