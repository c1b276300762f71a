import type { CheckResult } from '../../shared/contracts/result.ts';
import type { MonitorConfig } from './monitor-config.ts';
import { applyItem, newMonitorState } from './monitor-rules.ts';
import type { MonitorItem, MonitorState } from './monitor-state.ts';
import { regionSilentAfterMs } from './votes/region-rules.ts';
import { ACCEPT_MINORITY_AFTER_MS, needsMoreVotes } from './status/status-rules.ts';
import type { CastVote } from './effect.ts';

/** The fields of a stored result that the rules read. */
export type ReplayedResult =
  Pick<CheckResult, 'scheduled_at' | 'started_at' | 'outcome' | 'degraded' | 'reason' | 'attempt'
    | 'response_time_ms' | 'status_code' | 'error' | 'missed'>
  & { region: string; probe_id: string; late: boolean };

/** An outage with its initial votes. Timestamps are Unix ms; `resolved_at` is null while it is ongoing. */
export interface ReplayedIncident {
  started_at: number;
  resolved_at: number | null;
  votes: CastVote[];
}

/**
 * Replays results, oldest first, under another configuration with the production rules. Witness votes and
 * pauses are not in the results and cannot be replayed.
 */
export class Replay {
  readonly #config: MonitorConfig;
  readonly #incidents = new Map<string, ReplayedIncident>();
  #state: MonitorState;
  #n = 0;
  #shortSince: number | null = null;

  /** `from`: Unix ms. */
  constructor(config: MonitorConfig, from: number) {
    this.#config = { ...config, status: 'active', changed_at: from };
    this.#state = newMonitorState(this.#config);
  }

  add({ region, probe_id, late, ...row }: ReplayedResult): void {
    this.#advanceTo(row.started_at);
    const { monitor_id, check_revision: assignment_rev } = this.#config;
    const rest = { seq: 0, timings: null, remote_address: null, tls: null, detail: null };
    const result = { ...row, monitor_id, assignment_rev, ...rest };
    this.#apply({ kind: 'result', region, probe_id, engine: '', result, late });
  }

  /** The outages, oldest first, after advancing time to `until` (Unix ms). */
  finish(until: number): ReplayedIncident[] {
    this.#advanceTo(until);
    return [...this.#incidents.values()].sort((one, other) => one.started_at - other.started_at);
  }

  /** Applies decisions that depend on time only: silent regions and accepted minority verdicts. */
  #advanceTo(now: number): void {
    if (this.#shortSince !== null && now - this.#shortSince >= ACCEPT_MINORITY_AFTER_MS) {
      this.#apply({ kind: 'alone', at: this.#shortSince + ACCEPT_MINORITY_AFTER_MS });
    }
    const silentAfterMs = regionSilentAfterMs(this.#config);
    for (const [region, { verdict, last_at: lastAt }] of Object.entries(this.#state.regions)) {
      if (verdict === 'unknown' || lastAt === null || lastAt + silentAfterMs > now) continue;
      this.#apply({ kind: 'silent', region, at: lastAt + this.#config.interval_ms });
    }
  }

  #apply(item: MonitorItem): void {
    this.#n += 1;
    const { state, effects } = applyItem(this.#state, item, { n: this.#n, index: 0 });
    this.#state = state;
    for (const effect of effects) {
      if (effect.kind === 'open') {
        const { id, started_at } = effect.opening;
        this.#incidents.set(id, { started_at, resolved_at: null, votes: [] });
      } else if (effect.kind === 'resolve') {
        const found = this.#incidents.get(effect.resolution.id);
        if (found) found.resolved_at = effect.resolution.resolved_at;
      } else if (effect.kind === 'votes' && effect.record.verdict === 'down') {
        const found = this.#incidents.get(effect.record.incident_id);
        if (found) found.votes = effect.record.votes;
      }
    }
    if (state.minority_accepted || !needsMoreVotes(state)) this.#shortSince = null;
    else this.#shortSince ??= item.kind === 'result' ? item.result.started_at : null;
  }
}
