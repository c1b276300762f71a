import type { Conversion } from '../conversion.ts';
import { fieldsOf, listOf, rowsOf, textOf, type Fields } from '../loose.ts';
import { durationMs } from './duration.ts';
import { windowTimes } from './window-times.ts';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The maintenance of endpoints, by schedule: endpoints often have the same one. */
export class GatusMaintenance {
  /** Names of monitors by the text of their schedule. */
  readonly #monitors = new Map<string, string[]>();
  readonly #all: string[] = [];

  /** `name` is that of the endpoint's monitor. */
  add(endpoint: Fields, name: string): void {
    this.#all.push(name);
    for (const schedule of rowsOf(endpoint['maintenance-windows'])) {
      const key = JSON.stringify(schedule);
      this.#monitors.set(key, [...(this.#monitors.get(key) ?? []), name]);
    }
  }

  /** Adds the windows. `common` is the maintenance of all endpoints. */
  finish(common: unknown, into: Conversion): void {
    if (common !== undefined) addWindow(fieldsOf(common), 'maintenance', this.#all, into);
    for (const [schedule, monitors] of this.#monitors) {
      const others = monitors.length > 1 ? ` and ${monitors.length - 1} more` : '';
      addWindow(fieldsOf(JSON.parse(schedule)), `maintenance of ${monitors[0]}${others}`, monitors, into);
    }
  }
}

function addWindow(maintenance: Fields, title: string, monitors: string[], into: Conversion): void {
  if (maintenance['enabled'] === false) return into.skip(title, 'It is not enabled.');
  const days = listOf(maintenance['every']).map((day) => DAYS.indexOf(textOf(day).toLowerCase()) + 1);
  const isDaily = days.length === 0;
  const times = days.includes(0) ? null : windowTimes({
    time: textOf(maintenance['start']), durationMs: durationMs(maintenance['duration']) ?? 0,
    timezone: textOf(maintenance['timezone']) || 'UTC',
    repeats: isDaily ? { kind: 'daily' } : { kind: 'weekly', days: [...new Set(days)] },
  });
  if (times === null) into.skip(title, 'Its start, duration, days or time zone are not valid.');
  else into.addWindow({ title, ...times, monitors });
}
