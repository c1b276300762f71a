import { expect } from 'vitest';
import type { Load } from './load.ts';

/** The counted outcome of a fault. */
export interface Tally {
  injected: number;
  results?: { issued: number; stored: number; lost: number; duplicated: number };
  incidents?: { expected: number; opened: number };
  alerts?: { expected: number; delivered: number; repeated: number };
  /** Recovery time after each injection, ms. */
  recoveryMs?: number[];
  seed?: number;
}

/** The outcome as a line of the table. */
export function tell({ injected, results, incidents, alerts, recoveryMs, seed }: Tally, more = ''): string {
  const parts = [`${injected} injected`];
  if (results) {
    parts.push(
      `results ${results.issued} issued, ${results.stored} stored, ${results.lost} lost, ${results.duplicated} doubled`,
    );
  }
  if (incidents) parts.push(`incidents ${incidents.opened} of ${incidents.expected}`);
  if (alerts) parts.push(`alerts ${alerts.delivered} of ${alerts.expected}, ${alerts.repeated} repeated`);
  if (recoveryMs && recoveryMs.length > 0) {
    parts.push(`recovered after at most ${(Math.max(...recoveryMs) / 1000).toFixed(1)} s`);
  }
  if (more !== '') parts.push(more);
  if (seed !== undefined) parts.push(`seed ${seed}`);
  return parts.join('; ');
}

/** How often a fault is repeated: `few` in `npm test`, `all` in `npm run faults`. */
export function repeats(few: number, all: number): number {
  return process.env['FARWATCH_FAULTS'] === 'all' ? all : few;
}

export const SEED = Number(process.env['FARWATCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/**
 * Stops the checks, waits until every result has arrived, and compares what the target saw with what is
 * stored. Asserts that nothing is lost, duplicated or unexplained. The probe must not have been restarted.
 */
export async function countResults(load: Load): Promise<NonNullable<Tally['results']>> {
  const { issued, stored, unexplained, holes, doubled } = await load.settle();
  expect(holes, 'missing numbers in lanes').toEqual([]);
  expect(unexplained, 'slots without a result or reason').toBe(0);
  expect(doubled, 'slots with two results').toBe(0);
  const lost = [...issued].reduce((sum, [id, count]) => sum + Math.max(0, count - (stored.get(id) ?? 0)), 0);
  const duplicated =
    [...stored].reduce((sum, [id, count]) => sum + Math.max(0, count - (issued.get(id) ?? 0)), 0);
  const total = (counts: Map<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  expect({ lost, duplicated }).toEqual({ lost: 0, duplicated: 0 });
  return { issued: total(issued), stored: total(stored), lost, duplicated };
}
