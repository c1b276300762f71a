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

/**
 * The monitors of a scrape: about 200 bytes for one with one region. A later scrape uses the buffers again:
 * dropped ones would wait for the garbage collector, several of them at a time.
 */
export class MonitorTable {
  /** Each monitor's labels up to the closing brace, one after another, and where each one's end. */
  readonly #labels = new TextBytes();
  #ends = new Uint32Array(256);
  #count = 0;
  /** Those of the pages, with regions by their place in `#regions`. */
  #numbers = new Uint32Array(4096);
  #length = 0;
  /** Regions as labels. */
  #regions: string[] = [];
  readonly #regionPlaces = new Map<string, number>();

  clear(): void {
    this.#labels.clear();
    this.#count = 0;
    this.#length = 0;
    this.#regions = [];
    this.#regionPlaces.clear();
  }

  add({ ids, names, texts, numbers }: MonitorPage, { projects, groups }: Names): void {
    const first = this.#length;
    this.#reserve(ids.length, numbers.length);
    this.#numbers.set(numbers, first);
    this.#length += numbers.length;
    let at = first;
    for (const [index, id] of ids.entries()) {
      const textOf = (field: number) => texts[this.#numbers[at + field] as number];
      const [type = '', project = '', group] = [textOf(FIELD.type), textOf(FIELD.project), textOf(FIELD.group)];
      const ofGroup = group === undefined ? '' : labelOf('group', groups.get(group) ?? group);
      this.#labels.utf8(`{id="${id}"${labelOf('name', names[index] ?? '')}${labelOf('type', type)}${
        labelOf('project', projects.get(project) ?? project)}${ofGroup}`);
      this.#ends[this.#count] = this.#labels.length;
      this.#count += 1;
      const end = this.#next(at);
      for (let region = at + MONITOR_FIELDS; region < end; region += REGION_FIELDS) {
        const place = region + REGION_FIELD.region;
        this.#numbers[place] = this.#placeOf(texts[this.#numbers[place] as number] ?? '');
      }
      at = end;
    }
  }

  /** Writes the family's samples, with a pause whenever `out` has at least `pauseBytes`. */
  *write(out: TextBytes, { name, of, samples }: MonitorFamily, pauseBytes: number): Generator<void> {
    const numbers = this.#numbers;
    for (let index = 0, at = 0, from = 0; index < this.#count; index += 1) {
      const [to, after] = [this.#ends[index] as number, this.#next(at)];
      const length = of === 'monitor' ? after - at : REGION_FIELDS;
      for (let start = of === 'monitor' ? at : at + MONITOR_FIELDS; start < after; start += length) {
        for (const { place, labels: more, scale } of samples) {
          const value = numbers[start + place] as number;
          if (value === NONE) continue;
          out.ascii(name);
          out.copy(this.#labels, from, to);
          if (of === 'region') out.ascii(this.#regions[numbers[start + REGION_FIELD.region] as number] as string);
          out.ascii(more);
          out.ascii('} ');
          out.ascii(String(scale === 1 ? value : value / scale));
          out.ascii('\n');
        }
      }
      [at, from] = [after, to];
      if (out.length >= pauseBytes) yield;
    }
  }

  /** Where the numbers of the next monitor begin. */
  #next(at: number): number {
    return at + MONITOR_FIELDS + (this.#numbers[at + FIELD.regions] as number) * REGION_FIELDS;
  }

  #placeOf(region: string): number {
    const place = this.#regionPlaces.get(region) ?? this.#regions.push(labelOf('region', region)) - 1;
    this.#regionPlaces.set(region, place);
    return place;
  }

  #reserve(monitors: number, numbers: number): void {
    this.#ends = withRoom(this.#ends, this.#count + monitors);
    this.#numbers = withRoom(this.#numbers, this.#length + numbers);
  }
}

function withRoom(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const larger = new Uint32Array(Math.max(length, Math.ceil(array.length * 1.5)));
  larger.set(array);
  return larger;
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
