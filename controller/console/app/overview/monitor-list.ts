import { signal } from '@preact/signals';
import { answer, api } from '../api/client.ts';
import { onLive } from '../live/live-stream.ts';
import { Soon } from '../live/soon.ts';
import { language } from '../preferences/language.ts';
import { noteIncident, noteRegion, noteResult, noteState, type Change } from './live-changes.ts';
import { rankNames, toMonitor, type Monitor } from './monitor.ts';

const PAGE_SIZE = 5000;
/** Pages: more monitors than these are not shown. */
const MOST_PAGES = 40;
/** Changed monitors that are read by themselves; for more, all are read. */
const MOST_NAMED = 100;
/** Events that arrive during a reading, to be noted once more in what was read. */
const MOST_HELD = 20_000;
/** Lists are arranged anew at most this often, and what is shown is drawn once per frame. */
const ARRANGED_EVERY_MS = 250;

type Note = (monitor: Monitor) => Change;

/**
 * All monitors of the project, kept up to date by live events. `drawn` moves with each frame in which
 * something shown has changed, `arranged` when the order or the headings may have.
 */
export class MonitorList {
  readonly monitors = new Map<string, Monitor>();
  readonly drawn = signal(0);
  readonly arranged = signal(0);
  /** How many there are, as the API says; null until it has. */
  readonly total = signal<number | null>(null);
  /** Whether all of them were read once. */
  readonly isWhole = signal(false);
  /** What has happened during each reading that goes on. */
  readonly #readings = new Set<(() => void)[]>();
  readonly #changed = new Set<string>();
  #frame = 0;
  #timer = 0;

  /** Takes live events until the returned function is called. `readAll` has the list read anew. */
  follow(readAll: () => void): () => void {
    const soon = new Soon(() => {
      const ids = [...this.#changed];
      this.#changed.clear();
      if (ids.length > MOST_NAMED) readAll();
      // What fails is read with all others some time later.
      else this.#readSome(ids).catch(() => undefined);
    });
    const ends = [
      () => soon.stop(),
      onLive('monitor.changed', ({ monitor_ids: ids }) => this.#hold(() => {
        for (const id of ids as string[]) this.#changed.add(id);
        soon.ask();
      })),
      onLive('monitor.deleted', ({ monitor_ids: ids }) => this.#hold(() => this.remove(ids as string[]))),
      onLive('result', (data) => this.#note(data['monitor_id'], (monitor) => noteResult(monitor, data as never))),
      onLive('monitor.state', (data) => this.#note(data['monitor_id'], (monitor) => noteState(monitor, data as never))),
      onLive('monitor.region', (data) => this.#note(data['monitor_id'], (monitor) => noteRegion(monitor, data as never))),
      onLive('incident', (data) => this.#note(data['check_id'], (monitor) => noteIncident(monitor, data as never))),
    ];
    return () => {
      for (const end of ends) end();
      cancelAnimationFrame(this.#frame);
      clearTimeout(this.#timer);
      [this.#frame, this.#timer] = [0, 0];
    };
  }

  /** Reads all pages; each is shown as soon as it is there. Resolves with the number of monitors. */
  async read(signal: AbortSignal): Promise<number> {
    await this.#reading(async () => {
      const seen = new Set<string>();
      let cursor: string | null = '';
      for (let page = 0; cursor !== null && page < MOST_PAGES; page += 1) {
        const query: Query = { limit: String(PAGE_SIZE), ...(cursor === '' ? {} : { cursor }) };
        const read: Awaited<ReturnType<typeof readPage>> = await readPage(query, signal);
        for (const one of read.monitors) {
          seen.add(one.id);
          this.#put(toMonitor(one));
        }
        this.total.value = read.total_count;
        cursor = read.next_cursor;
        if (cursor !== null) this.#rearrange();
      }
      for (const id of this.monitors.keys()) if (!seen.has(id)) this.monitors.delete(id);
      this.isWhole.value = cursor === null;
    });
    return this.monitors.size;
  }

  /** Those that are not found are no longer there. */
  async #readSome(ids: readonly string[]): Promise<void> {
    await this.#reading(async () => {
      const { monitors, total_count: total } = await readPage({ ids: ids.join(','), limit: String(MOST_NAMED) });
      const missing = new Set(ids);
      for (const one of monitors) {
        missing.delete(one.id);
        this.#put(toMonitor(one));
      }
      for (const id of missing) this.monitors.delete(id);
      this.total.value = total;
    });
  }

  /** What happens meanwhile may be later than what is read, so that it is noted once more. */
  async #reading(read: () => Promise<void>): Promise<void> {
    const happened: (() => void)[] = [];
    this.#readings.add(happened);
    try {
      await read();
    } finally {
      this.#readings.delete(happened);
    }
    for (const note of happened) note();
    this.#rearrange();
  }

  #hold(note: () => void): void {
    for (const happened of this.#readings) if (happened.length < MOST_HELD) happened.push(note);
    note();
  }

  /** Changes monitors here at once; the next reading has the last word. */
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

  #note(id: unknown, note: Note): void {
    if (typeof id !== 'string') return;
    this.#hold(() => {
      const change = this.#apply(id, note);
      if (change !== 'none') this.#frame ||= requestAnimationFrame(() => this.#draw());
      if (change === 'arranged') this.#timer ||= window.setTimeout(() => this.#rearrange(false), ARRANGED_EVERY_MS);
    });
  }

  #apply(id: string, note: Note): Change {
    const monitor = this.monitors.get(id);
    if (monitor === undefined) return 'none';
    const change = note(monitor);
    if (change !== 'none') monitor.revision += 1;
    return change;
  }

  #draw(): void {
    this.#frame = 0;
    this.drawn.value += 1;
  }

  #rearrange(isOther = true): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (isOther) rankNames(this.monitors.values(), language.peek());
    this.arranged.value += 1;
  }
}

interface Query {
  limit: string;
  cursor?: string;
  ids?: string;
}

function readPage(query: Query, signal: AbortSignal | null = null) {
  return answer(api.GET('/api/monitors/overview', { params: { query: query as never }, signal }));
}
