import {
  FIELD, MONITOR_FIELDS, NONE, REGION_FIELD, REGION_FIELDS, type MonitorPage,
} from '../results/reading/metrics/monitor-page.ts';
import { escapeLabel } from './exposition.ts';
import type { MonitorFamily } from './families.ts';
import { TextBytes } from './text-bytes.ts';

/** Names by id. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  groups: ReadonlyMap<string, string>;
}

/** Labels of the monitors of a page are seldom longer. */
const LABEL_BYTES = 40_000;
const NO_NUMBERS = new Uint32Array(0);

/** The monitors of one page. */
interface Block {
  /** Each monitor's labels up to the closing brace, one after another, and where each one's end. */
  labels: TextBytes;
  ends: Uint32Array;
  count: number;
  /** Those of the page. */
  numbers: Uint32Array;
  /** Labels of regions, by the place of their text. */
  regions: string[];
}

/**
 * The monitors of a scrape: about 230 bytes for one with one region. A later scrape uses the buffers again:
 * dropped ones would wait for the garbage collector, several of them at a time.
 */
export class MonitorTable {
  readonly #blocks: Block[] = [];
  /** Blocks of this scrape. */
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  add({ ids, names, texts, numbers }: MonitorPage, { projects, groups }: Names): void {
    const block = this.#nextBlock(ids.length, numbers);
    let at = 0;
    for (const [index, id] of ids.entries()) {
      const textOf = (field: number) => texts[numbers[at + field] as number];
      const [type = '', project = '', group] = [textOf(FIELD.type), textOf(FIELD.project), textOf(FIELD.group)];
      const ofGroup = group === undefined ? '' : labelOf('group', groups.get(group) ?? group);
      block.labels.utf8(`{id="${id}"${labelOf('name', names[index] ?? '')}${labelOf('type', type)}${
        labelOf('project', projects.get(project) ?? project)}${ofGroup}`);
      block.ends[index] = block.labels.length;
      at = next(block.numbers, at);
    }
    block.regions = texts.map((text) => labelOf('region', text));
  }

  /** Writes the family's samples, with a pause whenever `out` has at least `pauseBytes`. */
  *write(out: TextBytes, family: MonitorFamily, pauseBytes: number): Generator<void> {
    for (const block of this.#blocks.slice(0, this.#length)) {
      writeBlock(out, family, block);
      if (out.length >= pauseBytes) yield;
    }
  }

  #nextBlock(count: number, numbers: number[]): Block {
    const block = this.#blocks[this.#length] ??= {
      labels: new TextBytes(LABEL_BYTES), ends: NO_NUMBERS, count: 0, numbers: NO_NUMBERS, regions: [],
    };
    this.#length += 1;
    block.labels.clear();
    block.count = count;
    if (count > block.ends.length) block.ends = new Uint32Array(count);
    if (numbers.length > block.numbers.length) block.numbers = new Uint32Array(numbers.length);
    block.numbers.set(numbers);
    return block;
  }
}

function writeBlock(
  out: TextBytes, { name, of, samples }: MonitorFamily, { labels, ends, count, numbers, regions }: Block,
): void {
  for (let index = 0, at = 0, from = 0; index < count; index += 1) {
    const [to, after] = [ends[index] as number, next(numbers, at)];
    const length = of === 'monitor' ? after - at : REGION_FIELDS;
    for (let start = of === 'monitor' ? at : at + MONITOR_FIELDS; start < after; start += length) {
      for (const { place, labels: more, scale } of samples) {
        const value = numbers[start + place] as number;
        if (value === NONE) continue;
        out.ascii(name);
        out.copy(labels, from, to);
        if (of === 'region') out.ascii(regions[numbers[start + REGION_FIELD.region] as number] as string);
        out.ascii(more);
        out.ascii('} ');
        out.ascii(String(scale === 1 ? value : value / scale));
        out.ascii('\n');
      }
    }
    [at, from] = [after, to];
  }
}

/** Where the numbers of the next monitor begin. */
function next(numbers: Uint32Array, at: number): number {
  return at + MONITOR_FIELDS + (numbers[at + FIELD.regions] as number) * REGION_FIELDS;
}

function labelOf(name: string, value: string): string {
  return `,${name}="${escapeLabel(value)}"`;
}

/** The table of the latest scrape, unless its memory was needed. */
export class SpareTable {
  #spare: WeakRef<MonitorTable> | null = null;

  take(): MonitorTable {
    const spare = this.#spare?.deref();
    this.#spare = null;
    return spare ?? new MonitorTable();
  }

  put(table: MonitorTable): void {
    this.#spare = new WeakRef(table);
  }
}
