import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';

/** Limit of shared values. Above it, the pool is cleared. */
const MAX_SHARED = 10_000;

/**
 * Deduplicates equal strings and lists across the monitors of a shard. Without it, each parsed document and
 * entry would hold its own copies, a quarter of a monitor's memory.
 */
export class SharedValues {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly (string | number)[]>();

  text<T extends string>(text: T): T {
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared as T;
    if (this.#texts.size >= MAX_SHARED) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  /** Shares in place, including the monitor's own id. */
  state(state: MonitorState, monitorId: string): void {
    this.config(state.config);
    state.config.monitor_id = monitorId;
    state.status = this.text(state.status);
    for (const region of Object.values(state.regions)) {
      region.verdict = this.text(region.verdict);
      if (region.probe_id !== null) region.probe_id = this.text(region.probe_id);
      region.engine = this.text(region.engine);
    }
  }

  /** Shares in place. */
  config(config: MonitorConfig): void {
    config.organization_id = this.text(config.organization_id);
    config.project_id = this.text(config.project_id);
    config.type = this.text(config.type);
    config.status = this.text(config.status);
    if (typeof config.quorum === 'string') config.quorum = this.text(config.quorum);
    config.monitoring_regions = this.#list(config.monitoring_regions);
    config.notification_target_ids = this.#list(config.notification_target_ids);
    config.tls_warning_days = this.#list(config.tls_warning_days);
    config.domain_warning_days = this.#list(config.domain_warning_days);
    if (config.assigned) config.assigned = this.#list(config.assigned);
  }

  /** Frozen, because a change would affect all monitors. */
  #list<T extends string | number>(list: T[]): T[] {
    const key = `${typeof list[0]} ${list.join()}`;
    const shared = this.#lists.get(key);
    if (shared) return shared as T[];
    if (this.#lists.size >= MAX_SHARED) this.#lists.clear();
    this.#lists.set(key, Object.freeze(list) as T[]);
    return list;
  }
}
