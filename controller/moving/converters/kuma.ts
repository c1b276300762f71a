import type { Conversion, Placed } from '../conversion.ts';
import { FileRefused, type Converter } from '../converter.ts';
import { isTrue, numberOf, textOf, type Fields } from '../loose.ts';
import { isKuma, readKuma, type KumaFile } from './kuma-file.ts';
import { addKumaMaintenance } from './kuma-maintenance.ts';
import { kumaSettings } from './kuma-monitor.ts';
import { addKumaNotifications } from './kuma-notifications.ts';
import { addKumaPages } from './kuma-pages.ts';

/** While it runs, Kuma has its latest changes, and at first all of them, in a file beside the database. */
const NO_MONITORS = 'The file has no monitors. Stop Uptime Kuma before you copy its database';

/** Uptime Kuma: its database of 1.23 or 2.x, or the JSON backup of 1.x. */
export const kuma: Converter = {
  title: 'a database or backup of Uptime Kuma',
  recognizes: isKuma,
  convert: (source, into) => {
    const file = readKuma(source);
    if (file.monitors.length === 0) throw new FileRefused(NO_MONITORS);
    const destinations = addKumaNotifications(file, into);
    const groups = addGroups(file, into);
    const placed = new Map<number, Placed>();
    for (const row of file.monitors.filter(({ type }) => type !== 'group')) {
      const monitor = addMonitor(row, file, { groups, destinations }, into);
      if (monitor !== null) placed.set(numberOf(row['id']) ?? 0, monitor);
    }
    addKumaMaintenance(file, placed, addKumaPages(file, placed, into), into);
  },
};

interface Group {
  name: string;
  isActive: boolean;
}

/** What monitors refer to, by id. */
interface Referenced {
  groups: ReadonlyMap<number, Group>;
  /** Their names in the document. */
  destinations: ReadonlyMap<number, string>;
}

/** Names of its groups in the document, by id, parents first. */
function addGroups({ monitors }: KumaFile, into: Conversion): Map<number, Group> {
  const rows = new Map(monitors.filter(({ type }) => type === 'group').map((row) => [numberOf(row['id']) ?? 0, row]));
  const groups = new Map<number, Group>();
  const add = (id: number, below: ReadonlySet<number>): Group | undefined => {
    const row = rows.get(id);
    const known = groups.get(id);
    if (row === undefined || known !== undefined || below.has(id)) return known;
    const parent = add(numberOf(row['parent']) ?? -1, new Set([...below, id]));
    const name = into.addGroup(textOf(row['name']), {
      ...descriptionOf(row), ...(parent === undefined ? {} : { parent: parent.name }),
    });
    const group = { name, isActive: isActive(row) && parent?.isActive !== false };
    groups.set(id, group);
    return group;
  };
  for (const id of rows.keys()) add(id, new Set());
  return groups;
}

function addMonitor(
  row: Fields, file: KumaFile, { groups, destinations }: Referenced, into: Conversion,
): Placed | null {
  const name = textOf(row['name']);
  const notes: string[] = [];
  const settings = kumaSettings(row, file, notes);
  if (settings === null) {
    into.skip(name, `Farwatch has no check of the type ${textOf(row['type'])}.`);
    return null;
  }
  const id = numberOf(row['id']) ?? 0;
  const group = groups.get(numberOf(row['parent']) ?? -1);
  const isPaused = !isActive(row) || group?.isActive === false;
  const isHeartbeat = settings.type === 'HEARTBEAT';
  noteLosses(row, notes);
  const linked = file.notifications.filter((one) => file.notificationsOf.get(id)?.includes(one.id));
  const lost = linked.filter((one) => !destinations.has(one.id)).map((one) => one.name);
  if (lost.length > 0) notes.push(`It does not alert ${lost.join(', ')}.`);
  const names = linked.flatMap((one) => destinations.get(one.id) ?? []);
  return into.addMonitor({
    name,
    ...(isHeartbeat ? {} : {
      interval_seconds: numberOf(row['interval']) ?? 60,
      confirmation_policy: { retries: Math.max(0, numberOf(row['maxretries']) ?? 0) },
      ...(isTrue(row['upside_down']) ? { is_inverted: true } : {}),
    }),
    ...(file.tagsOf.has(id) ? { tags: [...(file.tagsOf.get(id) ?? [])] } : {}),
    ...(group === undefined ? {} : { group: group.name }),
    ...(names.length > 0 ? { destinations: names } : {}),
    ...settings,
    ...(isPaused ? { status: 'paused' } : {}),
  }, notes);
}

function noteLosses(row: Fields, notes: string[]): void {
  if (numberOf(row['proxy_id']) !== null) notes.push('It is checked without its proxy.');
  if ((numberOf(row['resend_interval']) ?? 0) > 0) {
    notes.push('Repeated alerts are a setting of destinations in Farwatch (reminder_minutes).');
  }
  if (textOf(row['description']) !== '') notes.push('Monitors have no description in Farwatch.');
}

function descriptionOf(row: Fields) {
  const description = textOf(row['description']).slice(0, 500);
  return description === '' ? {} : { description };
}

function isActive(row: Fields): boolean {
  return row['active'] === undefined || row['active'] === null || isTrue(row['active']);
}
