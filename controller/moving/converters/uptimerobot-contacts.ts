import type { Conversion, DestinationDraft } from '../conversion.ts';
import { listOf, numberOf, rowsOf, textOf, type Fields } from '../loose.ts';
import { windowTimes, type Repetition } from './window-times.ts';

/** Of alert contacts in version 2 of its API. Version 3 only lists their numbers. */
const CONTACT_TYPES: Readonly<Record<number, (value: string) => Pick<DestinationDraft, 'type' | 'config'>>> = {
  2: (value) => ({ type: 'email', config: { to: [value] } }),
  5: (value) => ({ type: 'webhook', config: { url: value } }),
  11: (value) => ({ type: 'slack', config: { webhook_url: value } }),
};
/** Of maintenance windows, by number in version 2. */
const INTERVALS = ['', 'once', 'daily', 'weekly', 'monthly'];
/** The last day of the month, in version 2. */
const LAST_DAY = 32;
const MINUTE_MS = 60_000;

/** The alert contacts and maintenance windows of monitors, which repeat them. */
export class RobotContacts {
  /** Names in the document by number; null for a contact whose settings the file lacks. */
  readonly #names = new Map<string, string | null>();
  readonly #windows = new Map<string, { window: Fields; monitors: string[] }>();

  /** Destinations in the document. Notes those that it lacks. */
  destinationsOf(monitor: Fields, into: Conversion, notes: string[]): string[] {
    const contacts = rowsOf(monitor['assignedAlertContacts']);
    const names = contacts.map((contact) => this.#nameOf(contact, into));
    const lost = names.filter((name) => name === null).length;
    if (lost > 0 && lost === names.length) notes.push('It does not name its alert contacts.');
    else if (lost > 0) notes.push(`It does not name ${lost} of its alert contacts.`);
    return names.filter((name) => name !== null);
  }

  #nameOf(contact: Fields, into: Conversion): string | null {
    const id = textOf(contact['id']) || textOf(contact['alertContactId']);
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const value = textOf(contact['value']);
    const settings = CONTACT_TYPES[numberOf(contact['type']) ?? 0]?.(value);
    const label = textOf(contact['friendly_name']) || (settings?.type === 'email' ? value : `Alert contact ${id}`);
    const name = settings === undefined ? null : into.addDestination(label, settings);
    this.#names.set(id, name);
    return name;
  }

  /** `name` is that of the monitor in the document. */
  addWindowsOf(monitor: Fields, name: string): void {
    for (const window of rowsOf(monitor['maintenanceWindows'])) {
      const key = textOf(window['id']) || JSON.stringify(window);
      const known = this.#windows.get(key);
      if (known) known.monitors.push(name);
      else this.#windows.set(key, { window, monitors: [name] });
    }
  }

  finish(into: Conversion): void {
    for (const { window, monitors } of this.#windows.values()) {
      const title = textOf(window['friendly_name']) || textOf(window['name']) || 'Maintenance';
      const times = timesOf(window);
      if (isPaused(window)) into.skip(title, 'It is paused.');
      else if (times === null) into.skip(title, 'Its schedule is not valid.');
      else into.addWindow({ title, ...times, monitors }, ['Its times are taken as UTC; set its time zone.']);
    }
  }
}

function isPaused({ status }: Fields): boolean {
  return status === 0 || textOf(status).toLowerCase() === 'paused';
}

function timesOf(window: Fields) {
  const durationMs = (numberOf(window['duration']) ?? 0) * MINUTE_MS;
  const interval = (textOf(window['interval']) || INTERVALS[numberOf(window['type']) ?? 0] || '').toLowerCase();
  const days = (listOf(window['days']).length > 0 ? listOf(window['days']) : textOf(window['value']).split('-'))
    .flatMap((day) => numberOf(day) ?? []);
  const start = window['time'] ?? window['start_time'];
  const at = interval === 'once' && numberOf(start) !== null ? new Date((numberOf(start) ?? 0) * 1000) : null;
  const moment = at === null || Number.isNaN(at.getTime()) ? '' : at.toISOString();
  const from = moment.slice(0, 10) || textOf(window['date']).slice(0, 10);
  const repeats = repetitionOf(interval, days);
  if (repeats === null) return null;
  return windowTimes({
    ...(from === '' ? {} : { from }), time: moment.slice(11, 16) || textOf(start), durationMs, timezone: 'UTC', repeats,
  });
}

function repetitionOf(interval: string, days: number[]): Repetition | null {
  switch (interval) {
    case 'once': return { kind: 'once' };
    case 'daily': return { kind: 'daily' };
    case 'weekly': {
      const valid = days.filter((day) => Number.isInteger(day) && day >= 1 && day <= 7);
      return valid.length === 0 ? null : { kind: 'weekly', days: valid };
    }
    case 'monthly': {
      const valid = days.map((day) => (day === LAST_DAY ? -1 : day))
        .filter((day) => Number.isInteger(day) && day !== 0 && day >= -1 && day <= 31);
      return valid.length === 0 ? null : { kind: 'monthly', days: valid };
    }
    default: return null;
  }
}
