import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueEvents, announcedOccurrence, nextEventAt } from '../../../controller/maintenance/announce-rules.ts';
import { announcementOf } from '../../../controller/maintenance/announcement.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 2, 20);

/** A window set now, with two-hour occurrences that start in this many hours. */
function windowOf(...starts: number[]) {
  return {
    occurrences: starts.map((hours) =>
      ({ starts_at: NOW + hours * HOUR_MS, ends_at: NOW + (hours + 2) * HOUR_MS })),
    status_page_ids: ['page'], updated_at: NOW, announced_until: NOW - 1,
  };
}

/** The announcements made by runs at these hours. */
function announcements(window: ReturnType<typeof windowOf>, ...hours: number[]): string[] {
  let seen = window;
  return hours.flatMap((hour) => {
    const now = NOW + hour * HOUR_MS;
    const events = dueEvents(seen, now);
    seen = { ...seen, announced_until: now };
    return events.map(({ phase, occurrence }) => `${phase} ${(occurrence.starts_at - NOW) / HOUR_MS}@${hour}`);
  });
}

describe('an occurrence is announced', () => {
  test('a day before, at its start and at its end', () => {
    expect(announcements(windowOf(48), 0, 23, 24, 25, 47, 48, 49, 50, 51)).toEqual(['before 48@24', 'start 48@48', 'end 48@50']);
  });

  test('immediately if it starts within a day, and without advance notice if it is in progress', () => {
    expect(announcements(windowOf(3), 0, 3, 5)).toEqual(['before 3@0', 'start 3@3', 'end 3@5']);
    expect(announcements(windowOf(-1), 0, 1)).toEqual(['start -1@0', 'end -1@1']);
    expect(announcements(windowOf(-2), 0, 1)).toEqual([]);
  });

  test('without announcements that became outdated while no controller ran', () => {
    expect(announcements(windowOf(3), 4)).toEqual(['start 3@4']);
    expect(announcements(windowOf(3), 6)).toEqual(['end 3@6']);
    expect(announcements(windowOf(3), 40)).toEqual([]);
  });

  test('to nobody if no page shows it', () => {
    expect(announcements({ ...windowOf(3), status_page_ids: [] }, 0, 3, 5)).toEqual([]);
    expect(nextEventAt({ ...windowOf(3), status_page_ids: [] })).toBeNull();
  });

  test('once per phase at any run times, and a run is due for every announcement', () => {
    const runHours = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 30 });
    fc.assert(fc.property(runHours, fc.array(fc.integer({ min: -3, max: 200 }), { maxLength: 4 }), (hours, starts) => {
      const window = windowOf(...new Set(starts));
      const phases = announcements(window, ...hours.sort((a, b) => a - b)).map((each) => each.split('@')[0]);
      expect(new Set(phases).size).toBe(phases.length);
      const exact: number[] = [];
      for (let at = nextEventAt(window); at !== null; at = nextEventAt({ ...window, announced_until: at })) {
        exact.push((at - NOW) / HOUR_MS);
      }
      const all = announcements(window, ...exact);
      expect(all.filter((each) => each.startsWith('end'))).toHaveLength(
        new Set(starts.filter((hour) => hour > -2)).size,
      );
    }));
  });
});

test('an announced occurrence can be cancelled until it ends', () => {
  const window = { ...windowOf(3), announced_until: NOW };
  expect(announcedOccurrence(window, NOW + HOUR_MS)).toEqual(window.occurrences[0]);
  expect(announcedOccurrence({ ...window, announced_until: NOW - 1 }, NOW + HOUR_MS)).toBeNull();
  expect(announcedOccurrence(window, NOW + 5 * HOUR_MS)).toBeNull();
});

test('an announcement has the description unless the occurrence ended, and marks the first one', () => {
  const doc = { _id: 'w', title: 'Move', description: 'The shop is read-only.', updated_at: NOW };
  const occurrence = { starts_at: NOW + DAY_MS, ends_at: NOW + 2 * DAY_MS };
  expect(announcementOf(doc, 'before', occurrence)).toEqual({
    title: 'Move', text: 'The shop is read-only.', maintenance: { phase: 'before', ...occurrence },
    about: `w:${occurrence.starts_at}:${occurrence.ends_at}`, isFirst: true,
  });
  expect(announcementOf(doc, 'end', occurrence)).toMatchObject({ text: '', isFirst: false });
  expect(announcementOf({ ...doc, description: null }, 'start', occurrence)).toMatchObject({ text: '' });
  expect(announcementOf({ ...doc, updated_at: NOW + DAY_MS }, 'start', occurrence).isFirst).toBe(true);
});
