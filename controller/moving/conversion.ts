import { AppError } from '../errors/app-error.ts';
import { MAX_GROUPS, MAX_LEVELS } from '../groups/group.ts';
import { check, type ValidationIssue } from '../http/input/validation.ts';
import { documentInput, MAX_MONITORS, type DocumentInput, type GroupItem, type MonitorItem } from '../import-export/schema.ts';
import { settable } from '../monitors/settable.ts';
import { pageItem, type PageItem } from '../status-pages/schema.ts';
import { FileRefused } from './converter.ts';
import { clean, fitMonitor, fitName, type Draft } from './fit-monitor.ts';
import type { ConversionReport, ReportItem } from './responses.ts';

/** How page items refer to a monitor. */
export type Placed = Pick<MonitorItem, 'name' | 'target'>;

/** Items in one file, of every kind. */
const MAX_ITEMS = 2 * MAX_MONITORS;
const MAX_GROUP_NAME = 100;
const MAX_NOTES = 20;
const MAX_NOTE = 300;
export const TOKEN_REPLACED = 'It gets a new token, because another heartbeat has its own; change its jobs.';

/** What one file becomes: a document, whose monitors an import accepts, and a report on every item. */
export class Conversion {
  readonly #minIntervalSeconds: number;
  readonly #item: ReturnType<typeof documentInput>['monitorItem'];
  readonly #groups = new Map<string, GroupItem & { level: number }>();
  readonly #monitors: Draft[] = [];
  readonly #pages: PageItem[] = [];
  readonly #items: ReportItem[] = [];
  /** Indexes in the report, by index in the document. */
  readonly #reported = { monitors: [] as number[], status_pages: [] as number[] };
  readonly #tokens = new Set<string>();

  constructor(minIntervalSeconds: number) {
    this.#minIntervalSeconds = minIntervalSeconds;
    this.#item = documentInput(minIntervalSeconds).monitorItem;
  }

  /** Adds a group of this name, which further monitors may share, without reporting it. Returns its name. */
  shareGroup(name: string, parent?: string): string | undefined {
    const fitted = fitName(name, MAX_GROUP_NAME, []);
    if (fitted === '') return undefined;
    if (!this.#groups.has(fitted)) this.#addGroup(fitted, { parent });
    return fitted;
  }

  /** Adds a group that is an item of the file. Returns its name, which differs if another group has it. */
  addGroup(name: string, { description, parent }: Pick<GroupItem, 'description' | 'parent'>): string {
    const own: string[] = [];
    const fitted = fitName(name, MAX_GROUP_NAME - 6, own) || 'Unnamed';
    let unique = fitted;
    for (let at = 2; this.#groups.has(unique); at += 1) unique = `${fitted} (${at})`;
    if (unique !== fitted) own.push(`It is called ${unique}, because another group has its name.`);
    const level = (this.#groups.get(parent ?? '')?.level ?? 0) + 1;
    const isTooDeep = level > MAX_LEVELS;
    if (isTooDeep) own.push(`It is not within ${parent}, because groups are at most ${MAX_LEVELS} levels deep.`);
    this.#addGroup(unique, { description, parent: isTooDeep ? undefined : parent });
    this.#report(name, own);
    return unique;
  }

  #addGroup(name: string, { description, parent }: Partial<GroupItem>): void {
    if (this.#groups.size >= MAX_GROUPS) throw new FileRefused(`The file has more than ${MAX_GROUPS} groups`);
    const level = (this.#groups.get(parent ?? '')?.level ?? 0) + 1;
    const known = parent !== undefined && parent !== null && this.#groups.has(parent) ? { parent } : {};
    this.#groups.set(name, { name, ...(description ? { description } : {}), ...known, level });
  }

  /**
   * `notes` say what is lost. Returns null for a monitor that no import would accept, which is reported with
   * `prefix` before each reason.
   */
  addMonitor(draft: Draft, notes: readonly string[] = [], prefix = ''): Placed | null {
    const fitted = fitMonitor(draft, this.#minIntervalSeconds);
    const { monitor } = fitted;
    const faults = this.#faultsOf(monitor);
    if (faults.length > 0) {
      const reasons = faults.map(({ path, message }) => `${prefix}${path.join('.')}: ${message}.`);
      this.skip(draft.name || monitor.name, ...reasons);
      return null;
    }
    if (this.#monitors.length >= MAX_MONITORS) {
      throw new FileRefused(`The file has more than ${MAX_MONITORS} monitors; split it`);
    }
    const own = [...notes, ...fitted.notes];
    const { heartbeat_token: token } = monitor;
    if (typeof token === 'string' && this.#tokens.has(token)) {
      delete monitor.heartbeat_token;
      own.push(TOKEN_REPLACED);
    } else if (typeof token === 'string') this.#tokens.add(token);
    this.#monitors.push(monitor);
    this.#reported.monitors.push(this.#report(monitor.name, own));
    return { name: monitor.name, target: monitor.target };
  }

  #faultsOf(monitor: Draft): ValidationIssue[] {
    const { data, issues } = check(this.#item, monitor);
    if (issues.length > 0) return issues;
    const item = data as MonitorItem;
    try {
      settable(item, null, item, this.#minIntervalSeconds);
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
      return error.details as ValidationIssue[];
    }
  }

  addPage(sent: PageItem, notes: readonly string[]): void {
    const page = clean(sent) as PageItem;
    const { issues } = check(pageItem, page);
    if (issues.length === 0) {
      this.#pages.push(page);
      this.#reported.status_pages.push(this.#report(page.name, notes));
    } else this.skip(page.name, ...issues.map(({ path, message }) => `${path.join('.')}: ${message}.`));
  }

  /** Reports an item that the document does not contain. */
  skip(name: string, ...reasons: string[]): void {
    this.#add(name, 'skipped', reasons);
  }

  #report(name: string, notes: readonly string[]): number {
    this.#add(name, notes.length === 0 ? 'full' : 'partial', notes);
    return this.#items.length - 1;
  }

  #add(name: string, result: ReportItem['result'], notes: readonly string[]): void {
    if (this.#items.length >= MAX_ITEMS) throw new FileRefused(`The file has more than ${MAX_ITEMS} items`);
    const shown = notes.slice(0, MAX_NOTES).map((note) => note.slice(0, MAX_NOTE));
    this.#items.push({ name: fitName(name, 255, []) || 'Unnamed', result, notes: shown });
  }

  finish(): Converted {
    const groups = [...this.#groups.values()].map(({ level: _level, ...group }) => group);
    return {
      document: { version: 1, groups, monitors: this.#monitors as MonitorItem[], status_pages: this.#pages },
      items: this.#items, reported: this.#reported,
    };
  }
}

/** What one file becomes. */
export interface Converted {
  document: DocumentInput;
  items: ReportItem[];
  /** Indexes in `items` of the monitors and pages of the document, in its order. */
  reported: Record<'monitors' | 'status_pages', number[]>;
}

export function reportOf(items: ReportItem[]): ConversionReport {
  const count = (result: string) => items.filter((item) => item.result === result).length;
  return { full: count('full'), partial: count('partial'), skipped: count('skipped'), items };
}
