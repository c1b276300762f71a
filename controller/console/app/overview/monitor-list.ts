import { signal } from '@preact/signals';
import { answer, api } from '../api/client.ts';
import { onLive } from '../live/live-stream.ts';
import { language } from '../preferences/language.ts';
import { noteIncident, noteRegion, noteResult, noteState, type Change } from './live-changes.ts';
import { rankNames, toMonitor, type Monitor } from './monitor.ts';

const PAGE_SIZE = 5000;
/** Pages: more monitors than these are not shown. */
const MOST_PAGES = 40;
/** Events that arrive while the list is read, to be noted once more in what was read. */
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
  readonly total = signal<number | null>(null);
  #held: { id: string; note: Note }[] | null = null;
  #frame = 0;
  #timer = 0;

  /** Takes live events until the returned function is called. */
  follow(): () => void {
    const ends = [
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
    this.#held = [];
    try {
      const seen = new Set<string>();
      let cursor: string | null = '';
      for (let page = 0; cursor !== null && page < MOST_PAGES; page += 1) {
        const query: { limit: string; cursor?: string } = { limit: String(PAGE_SIZE), ...(cursor === '' ? {} : { cursor }) };
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
      for (const { id, note } of this.#held ?? []) this.#apply(id, note);
      this.#rearrange();
      return this.monitors.size;
    } finally {
      this.#held = null;
    }
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
    if (this.#held !== null && this.#held.length < MOST_HELD) this.#held.push({ id, note });
    const change = this.#apply(id, note);
    if (change !== 'none') this.#frame ||= requestAnimationFrame(() => this.#draw());
    if (change === 'arranged') this.#timer ||= window.setTimeout(() => this.#rearrange(false), ARRANGED_EVERY_MS);
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

function readPage(query: { limit: string; cursor?: string }, signal: AbortSignal) {
  return answer(api.GET('/api/monitors/overview', { params: { query: query as never }, signal }));
}
