import type { Source } from '../converter.ts';
import { fieldsOf, isTrue, jsonOf, listOf, numberOf, rowsOf, textOf, type Fields } from '../loose.ts';

/** What a database and a backup of Uptime Kuma have in common. Names of columns are those of the database. */
export interface KumaFile {
  monitors: readonly Fields[];
  notifications: readonly ReturnType<typeof notificationOf>[];
  /** By monitor: the ids of its notifications. */
  notificationsOf: ReadonlyMap<number, readonly number[]>;
  /** By monitor: its tags, as `name` or `name:value`. */
  tagsOf: ReadonlyMap<number, readonly string[]>;
  /** Days before the expiry of certificates and domains. */
  certificateDays: number[];
  domainDays: number[];
  /** Of the server; only a database has it. */
  timezone: string;
  /** Only a database has these tables. */
  tables: ReadonlyMap<string, readonly Fields[]>;
}

export const KUMA_TABLES = [
  'monitor', 'tag', 'monitor_tag', 'notification', 'monitor_notification', 'maintenance', 'monitor_maintenance',
  'maintenance_status_page', 'status_page', 'group', 'monitor_group', 'status_page_cname', 'setting',
];
/** What distinguishes its tables from those of another program with monitors. */
const COLUMNS = ['name', 'type', 'maxretries', 'upside_down'];
const DEFAULT_DAYS = [7, 14, 21];

export function isKuma(source: Source): boolean {
  if (source.kind === 'database') {
    const { tables } = source;
    const [row] = tables.get('monitor') ?? [];
    return tables.has('monitor') && tables.has('notification')
      && (row === undefined || COLUMNS.every((column) => column in row));
  }
  const { monitorList, notificationList, version } = fieldsOf(source.kind === 'json' ? source.value : null);
  return Array.isArray(monitorList) && (Array.isArray(notificationList) || version !== undefined);
}

export function readKuma(source: Source): KumaFile {
  return source.kind === 'database' ? readDatabase(source.tables) : readBackup(source.kind === 'json' ? source.value : {});
}

function readDatabase(tables: ReadonlyMap<string, readonly Fields[]>): KumaFile {
  const table = (name: string) => tables.get(name) ?? [];
  const tags = new Map(table('tag').map((row) => [numberOf(row['id']), textOf(row['name'])]));
  const settings = new Map(table('setting').map((row) => [textOf(row['key']), jsonOf(row['value'])]));
  return {
    monitors: table('monitor'),
    notifications: table('notification').map(notificationOf),
    notificationsOf: grouped(table('monitor_notification'), (row) => numberOf(row['notification_id'])),
    tagsOf: grouped(table('monitor_tag'), (row) => tagText(tags.get(numberOf(row['tag_id'])), row['value'])),
    certificateDays: daysOf(settings.get('tlsExpiryNotifyDays')),
    domainDays: daysOf(settings.get('domainExpiryNotifyDays')),
    timezone: textOf(settings.get('serverTimezone')) || 'UTC',
    tables,
  };
}

function readBackup(value: unknown): KumaFile {
  const { monitorList, notificationList } = fieldsOf(value);
  const monitors = rowsOf(monitorList).map(columnsOf);
  return {
    monitors,
    notifications: rowsOf(notificationList).map(columnsOf).map(notificationOf),
    notificationsOf: new Map(monitors.map((row) => [numberOf(row['id']) ?? 0, linkedIds(row['notification_id_list'])])),
    tagsOf: new Map(monitors.map((row) => [
      numberOf(row['id']) ?? 0,
      rowsOf(row['tags']).flatMap((tag) => tagText(textOf(tag['name']), tag['value']) ?? []),
    ])),
    certificateDays: DEFAULT_DAYS, domainDays: DEFAULT_DAYS, timezone: 'UTC', tables: new Map(),
  };
}

/** A backup writes most columns in camel case. */
function columnsOf(row: Fields): Fields {
  const { accepted_statuscodes: codes, ...rest } = row;
  const named = Object.entries(rest).map(([name, value]) =>
    [name.replace(/ID(?=[A-Z]|$)/, 'Id').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const);
  return { ...Object.fromEntries(named), accepted_statuscodes_json: JSON.stringify(codes ?? []) };
}

function notificationOf(row: Fields) {
  const config = fieldsOf(jsonOf(row['config']));
  return {
    id: numberOf(row['id']) ?? 0, name: textOf(row['name']) || textOf(config['name']),
    type: textOf(config['type']) || 'unknown', config,
    isDefault: isTrue(row['is_default']), isActive: row['active'] === undefined || isTrue(row['active']),
  };
}

/** Ids of `{"1": true, "2": false}` that are true. */
function linkedIds(value: unknown): number[] {
  return Object.entries(fieldsOf(value)).filter(([, isLinked]) => isTrue(isLinked)).map(([id]) => Number(id));
}

function tagText(name: string | undefined, value: unknown): string | null {
  if (name === undefined || name === '') return null;
  return textOf(value) === '' ? name : `${name}:${textOf(value)}`;
}

function grouped<Value>(
  rows: readonly Fields[], valueOf: (row: Fields) => Value | null,
): Map<number, Value[]> {
  const all = new Map<number, Value[]>();
  for (const row of rows) {
    const [id, value] = [numberOf(row['monitor_id']), valueOf(row)];
    if (id !== null && value !== null) all.set(id, [...(all.get(id) ?? []), value]);
  }
  return all;
}

function daysOf(value: unknown): number[] {
  const days = listOf(value).map(numberOf)
    .filter((day) => day !== null && Number.isInteger(day) && day > 0 && day < 366) as number[];
  return days.length > 0 ? days.slice(0, 10) : DEFAULT_DAYS;
}
