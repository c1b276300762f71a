import type { CastVote } from './effect.ts';
import type { MonitorConfig } from './monitor-config.ts';
import { Replay, type ReplayedResult, type ReplayedStep } from './replay.ts';

/** An outage with its initial votes. Timestamps are Unix ms; `resolved_at` is null while it is ongoing. */
export interface ReplayedIncident {
  started_at: number;
  resolved_at: number | null;
  votes: CastVote[];
}

/** Collects the outages of a replay. Results come oldest first. */
export class OutageReplay {
  readonly #incidents = new Map<string, ReplayedIncident>();
  readonly #replay: Replay;

  /** `from`: Unix ms. */
  constructor(config: MonitorConfig, from: number) {
    this.#replay = new Replay(config, from, (step) => this.#record(step));
  }

  add(row: ReplayedResult): void {
    this.#replay.add(row);
  }

  /** The outages, oldest first, after advancing time to `until` (Unix ms). */
  finish(until: number): ReplayedIncident[] {
    this.#replay.advanceTo(until);
    return [...this.#incidents.values()].sort((one, other) => one.started_at - other.started_at);
  }

  #record({ effects }: ReplayedStep): void {
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
  }
}
