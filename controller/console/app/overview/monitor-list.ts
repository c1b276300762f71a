import { signal } from '@preact/signals';
import { unwrap, api } from '../api/client.ts';
import { onLiveEvent } from '../live/live-stream.ts';
import { Throttle } from '../live/throttle.ts';
import { language } from '../preferences/language.ts';
import { applyIncident, applyRegion, applyResult, applyState, type Change } from './live-changes.ts';
import { rankNames, toMonitor, type Monitor } from './monitor.ts';

const PAGE_SIZE = 5000;
/** Maximum number of pages read; further monitors are not shown. */
const MAX_PAGES = 40;
/** Changed monitors that are read on their own; above this, all are read. */
const MAX_PARTIAL_READ = 100;
/** Events that arrive during a read and are applied again afterwards. */
const MAX_HELD_EVENTS = 20_000;
/** Minimum interval between rearrangements; visible rows are drawn once per frame. */
const REARRANGE_INTERVAL_MS = 250;

type ApplyEvent = (monitor: Monitor) => Change;

/**
 * All monitors of the project, updated by live events. `drawVersion` changes with each frame in which something visible
 * has changed, `orderVersion` when the order or the headings may have.
 */
export class MonitorList {
  readonly monitors = new Map<string, Monitor>();
  readonly drawVersion = signal(0);
  readonly orderVersion = signal(0);
  /** Total reported by the API; null until it is known. */
  readonly total = signal<number | null>(null);
  /** Whether all of them were read once. */
  readonly isComplete = signal(false);
  /** Events since the start of each read in progress. */
  readonly #activeReadings = new Set<(() => void)[]>();
  readonly #changed = new Set<string>();
  #frame = 0;
  #timer = 0;

  /** Applies live events until the returned function is called. `readAll` triggers a read of the whole list. */
  follow(readAll: () => void): () => void {
    const throttle = new Throttle(() => {
      const ids = [...this.#changed];
      this.#changed.clear();
      if (ids.length > MAX_PARTIAL_READ) readAll();
      // A failed read is made up for by the next full read.
      else this.#readSome(ids).catch(() => undefined);
    });
    const unsubscribers = [
      () => throttle.stop(),
      onLiveEvent('monitor.changed', ({ monitor_ids: ids }) => this.#applyAndHold(() => {
        for (const id of ids as string[]) this.#changed.add(id);
        throttle.trigger();
      })),
      onLiveEvent('monitor.deleted', ({ monitor_ids: ids }) => this.#applyAndHold(() => this.remove(ids as string[]))),
      onLiveEvent('result', (data) => this.#onMonitorEvent(data['monitor_id'], (monitor) => applyResult(monitor, data as never))),
      onLiveEvent('monitor.state', (data) => this.#onMonitorEvent(data['monitor_id'], (monitor) => applyState(monitor, data as never))),
      onLiveEvent('monitor.region', (data) => this.#onMonitorEvent(data['monitor_id'], (monitor) => applyRegion(monitor, data as never))),
      onLiveEvent('incident', (data) => this.#onMonitorEvent(data['check_id'], (monitor) => applyIncident(monitor, data as never))),
    ];
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
      cancelAnimationFrame(this.#frame);
      clearTimeout(this.#timer);
      [this.#frame, this.#timer] = [0, 0];
    };
  }

  /** Reads all pages and shows each as it arrives. Resolves with the number of monitors. */
  async read(signal: AbortSignal): Promise<number> {
    await this.#trackReading(async () => {
      const seen = new Set<string>();
      let cursor: string | null = '';
      for (let page = 0; cursor !== null && page < MAX_PAGES; page += 1) {
        const query: Query = { limit: String(PAGE_SIZE), ...(cursor === '' ? {} : { cursor }) };
        const response: Awaited<ReturnType<typeof readPage>> = await readPage(query, signal);
        for (const one of response.monitors) {
          seen.add(one.id);
          this.#put(toMonitor(one));
        }
        this.total.value = response.total_count;
        cursor = response.next_cursor;
        if (cursor !== null) this.#rearrange();
      }
      for (const id of this.monitors.keys()) if (!seen.has(id)) this.monitors.delete(id);
      this.isComplete.value = cursor === null;
    });
    return this.monitors.size;
  }

  /** Removes monitors that are not found. */
  async #readSome(ids: readonly string[]): Promise<void> {
    await this.#trackReading(async () => {
      const { monitors, total_count: total } = await readPage({ ids: ids.join(','), limit: String(MAX_PARTIAL_READ) });
      const missing = new Set(ids);
      for (const one of monitors) {
        missing.delete(one.id);
        this.#put(toMonitor(one));
      }
      for (const id of missing) this.monitors.delete(id);
      this.total.value = total;
    });
  }

  /** Events during a read may be newer than its result, so they are applied again. */
  async #trackReading(read: () => Promise<void>): Promise<void> {
    const held: (() => void)[] = [];
    this.#activeReadings.add(held);
    try {
      await read();
    } finally {
      this.#activeReadings.delete(held);
    }
    for (const apply of held) apply();
    this.#rearrange();
  }

  #applyAndHold(apply: () => void): void {
    for (const held of this.#activeReadings) if (held.length < MAX_HELD_EVENTS) held.push(apply);
    apply();
  }

  /** Changes monitors locally at once; the next read overrides them. */
  change(ids: Iterable<string>, change: (monitor: Monitor) => void): void {
    for (const id of ids) {
      this.#apply(id, (monitor) => {
        change(monitor);
        return 'arranged';
      });
    }
    this.#rearrange();
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.monitors.delete(id);
    this.#rearrange();
  }

  #put(monitor: Monitor): void {
    monitor.revision = (this.monitors.get(monitor.id)?.revision ?? 0) + 1;
    this.monitors.set(monitor.id, monitor);
  }

  #onMonitorEvent(id: unknown, apply: ApplyEvent): void {
    if (typeof id !== 'string') return;
    this.#applyAndHold(() => {
      const change = this.#apply(id, apply);
      if (change !== 'none') this.#frame ||= requestAnimationFrame(() => this.#draw());
      if (change === 'arranged') this.#timer ||= window.setTimeout(() => this.#rearrange(false), REARRANGE_INTERVAL_MS);
    });
  }

  #apply(id: string, apply: ApplyEvent): Change {
    const monitor = this.monitors.get(id);
    if (monitor === undefined) return 'none';
    const change = apply(monitor);
    if (change !== 'none') monitor.revision += 1;
    return change;
  }

  #draw(): void {
    this.#frame = 0;
    this.drawVersion.value += 1;
  }

  #rearrange(hasNewNames = true): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (hasNewNames) rankNames(this.monitors.values(), language.peek());
    this.orderVersion.value += 1;
  }
}

interface Query {
  limit: string;
  cursor?: string;
  ids?: string;
}

function readPage(query: Query, signal: AbortSignal | null = null) {
  return unwrap(api.GET('/api/monitors/overview', { params: { query: query as never }, signal }));
}
