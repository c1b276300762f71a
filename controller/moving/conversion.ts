import { MAX_DESTINATIONS_IN_PROJECT } from '../destinations/destination.ts';
import type { IntegrationItem } from '../destinations/schema.ts';
import { MAX_GROUPS, MAX_LEVELS } from '../groups/group.ts';
import { check, type ValidationIssue } from '../http/input/validation.ts';
import { documentInput, MAX_MONITORS, type DocumentInput, type GroupItem, type MonitorItem } from '../import-export/schema.ts';
import type { WindowDraft } from '../maintenance/schema.ts';
import { MAX_WINDOW_MONITORS, MAX_WINDOWS } from '../maintenance/window.ts';
import { pageItem, type PageItem } from '../status-pages/schema.ts';
import { FileRefused } from './converter.ts';
import { clean, fitMonitor, fitName, type Draft } from './fit-monitor.ts';
import { destinationFaults, monitorFaults, windowFaults } from './item-faults.ts';
import type { ConversionReport, ReportItem } from './responses.ts';

/** How page items refer to a monitor. */
export type Placed = Pick<MonitorItem, 'name' | 'target'>;

export type DestinationDraft = Omit<IntegrationItem, 'name' | 'config'> & { config: object };

/** Items in one file, of every kind. */
const MAX_ITEMS = 2 * MAX_MONITORS;
/** Of groups and destinations. */
const MAX_NAME = 100;
const MAX_MONITOR_DESTINATIONS = 50;
const MAX_NOTES = 20;
const MAX_NOTE = 300;
export const TOKEN_REPLACED = 'It gets a new token, because another heartbeat has its own; change its jobs.';

/** What one file becomes: a document, whose monitors an import accepts, and a report on every item. */
export class Conversion {
  readonly #minIntervalSeconds: number;
  readonly #item: ReturnType<typeof documentInput>['monitorItem'];
  readonly #groups = new Map<string, GroupItem & { level: number }>();
  readonly #monitors: Draft[] = [];
  readonly #destinations = new Map<string, IntegrationItem>();
  readonly #pages: PageItem[] = [];
  readonly #windows: WindowDraft[] = [];
  readonly #items: ReportItem[] = [];
  /** Indexes in the report, by index in the document. */
  readonly #reported: Converted['reported'] = { monitors: [], integrations: [], status_pages: [] };
  readonly #tokens = new Set<string>();

  constructor(minIntervalSeconds: number) {
    this.#minIntervalSeconds = minIntervalSeconds;
    this.#item = documentInput(minIntervalSeconds).monitorItem;
  }

  /** Adds a group of this name, which further monitors may share, without reporting it. Returns its name. */
  shareGroup(name: string, parent?: string): string | undefined {
    const fitted = fitName(name, MAX_NAME, []);
    if (fitted === '') return undefined;
    if (!this.#groups.has(fitted)) this.#addGroup(fitted, { parent });
    return fitted;
  }

  /** Adds a group that is an item of the file. Returns its name, which differs if another group has it. */
  addGroup(name: string, { description, parent }: Pick<GroupItem, 'description' | 'parent'>): string {
    const own: string[] = [];
    const unique = uniqueName(name, this.#groups, 'group', own);
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
    const faults = monitorFaults(this.#item, monitor, this.#minIntervalSeconds);
    if (faults.length > 0) {
      this.skip(draft.name || monitor.name, ...reasonsOf(faults, prefix));
      return null;
    }
    if (this.#monitors.length >= MAX_MONITORS) {
      throw new FileRefused(`The file has more than ${MAX_MONITORS} monitors; split it`);
    }
    const own = [...notes, ...fitted.notes];
    if (monitor.destinations !== undefined && monitor.destinations.length > MAX_MONITOR_DESTINATIONS) {
      own.push(`Only ${MAX_MONITOR_DESTINATIONS} of its ${monitor.destinations.length} destinations are kept.`);
      monitor.destinations = monitor.destinations.slice(0, MAX_MONITOR_DESTINATIONS);
    }
    const { heartbeat_token: token } = monitor;
    if (typeof token === 'string' && this.#tokens.has(token)) {
      delete monitor.heartbeat_token;
      own.push(TOKEN_REPLACED);
    } else if (typeof token === 'string') this.#tokens.add(token);
    this.#monitors.push(monitor);
    this.#reported.monitors.push(this.#report(monitor.name, own));
    return { name: monitor.name, target: monitor.target };
  }

  /** Returns its name, which differs if another one has it; null for one that no import would accept. */
  addDestination(name: string, draft: DestinationDraft, notes: readonly string[] = []): string | null {
    const own = [...notes];
    const unique = uniqueName(name, this.#destinations, 'destination', own);
    const destination = clean({ name: unique, ...draft }) as IntegrationItem;
    const reasons = reasonsOf(destinationFaults(destination));
    if (this.#destinations.size >= MAX_DESTINATIONS_IN_PROJECT) {
      reasons.push(`A project can have at most ${MAX_DESTINATIONS_IN_PROJECT} destinations.`);
    }
    if (reasons.length > 0) {
      this.skip(name, ...reasons);
      return null;
    }
    this.#destinations.set(unique, destination);
    this.#reported.integrations.push(this.#report(unique, own));
    return unique;
  }

  /** A window of more monitors than one can have becomes several. */
  addWindow(draft: WindowDraft, notes: readonly string[] = []): void {
    const title = fitName(draft.title, MAX_NAME, []) || 'Maintenance';
    const { monitors = [] } = draft;
    const parts = Math.max(1, Math.ceil(monitors.length / MAX_WINDOW_MONITORS));
    const windows = Array.from({ length: parts }, (_, at) => clean({
      ...draft, title: at === 0 ? title : `${title} (${at + 1})`,
      monitors: monitors.slice(at * MAX_WINDOW_MONITORS, (at + 1) * MAX_WINDOW_MONITORS),
    }) as WindowDraft);
    const reasons = reasonsOf(windows.flatMap(windowFaults));
    if (this.#windows.length + parts > MAX_WINDOWS) {
      reasons.push(`A project can have at most ${MAX_WINDOWS} maintenance windows.`);
    }
    if (reasons.length > 0) return this.skip(title, ...reasons);
    this.#windows.push(...windows);
    this.#report(title, notes);
  }

  /** False for one that no import would accept. */
  addPage(sent: PageItem, notes: readonly string[]): boolean {
    const page = clean(sent) as PageItem;
    const { issues } = check(pageItem, page);
    if (issues.length > 0) {
      this.skip(page.name, ...reasonsOf(issues));
      return false;
    }
    this.#pages.push(page);
    this.#reported.status_pages.push(this.#report(page.name, notes));
    return true;
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
      document: {
        version: 1, groups, monitors: this.#monitors as MonitorItem[], status_pages: this.#pages,
        ...(this.#destinations.size === 0 ? {} : { integrations: [...this.#destinations.values()] }),
        ...(this.#windows.length === 0 ? {} : { maintenance_windows: this.#windows }),
      },
      items: this.#items, reported: this.#reported,
    };
  }
}

/** What one file becomes. */
export interface Converted {
  document: Pick<DocumentInput, 'version' | 'groups' | 'monitors' | 'status_pages'> & {
    integrations?: IntegrationItem[]; maintenance_windows?: WindowDraft[];
  };
  items: ReportItem[];
  /** Indexes in `items` of items of the document, in its order. */
  reported: Record<'monitors' | 'integrations' | 'status_pages', number[]>;
}

/** A name within the limits that is not among `taken`. */
function uniqueName(
  name: string, taken: ReadonlyMap<string, unknown>, noun: string, notes: string[],
): string {
  const fitted = fitName(name, MAX_NAME - 6, notes) || 'Unnamed';
  let unique = fitted;
  for (let at = 2; taken.has(unique); at += 1) unique = `${fitted} (${at})`;
  if (unique !== fitted) notes.push(`It is called ${unique}, because another ${noun} has its name.`);
  return unique;
}

function reasonsOf(faults: readonly ValidationIssue[], prefix = ''): string[] {
  return faults.map(({ path, message }) => `${prefix}${path.join('.')}: ${message}.`);
}

export function reportOf(items: ReportItem[]): ConversionReport {
  const count = (result: string) => items.filter((item) => item.result === result).length;
  return { full: count('full'), partial: count('partial'), skipped: count('skipped'), items };
}
