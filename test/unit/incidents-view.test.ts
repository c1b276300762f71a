import { describe, expect, test } from 'vitest';
import { openedIncident, openingUpdate, recoverySeconds, resolutionUpdate } from '../../controller/incidents/outbox-rules.ts';
import { incidentView, showIncident, showIncidentUpdate } from '../../controller/incidents/views.ts';
import { searchPattern, searchText } from '../../shared/search-text.ts';
import { monitorConfig } from '../helpers/delivery-rig.ts';

const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5);
const opening = {
  id: '11111111-1111-8111-8111-111111111111', monitor: monitorConfig({ name: 'Shop' }), severity: 'critical', type: 'timeout', error_message: 'No answer within 10 s',
  affected_regions: ['eu'], failure_count: 2, started_at: startedAt,
} as const;
const opened = () => openedIncident({ ...opening, affected_regions: ['eu'] }, startedAt + 500);

describe('an incident that the state machine opened', () => {
  test('is shown with every field, times in ISO 8601 and no recovery time yet', () => {
    const shown = showIncident(opened());
    expect(incidentView.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({
      id: opening.id, title: 'Shop is down', status: 'open', source: 'system', check_id: opening.monitor.monitor_id, started_at: '2026-01-02T03:04:05.000Z',
      created_at: '2026-01-02T03:04:05.500Z', resolved_at: null, acknowledged_at: null, acknowledged_by_name: null, notification_sent: false, notification_channels: [],
    });
    expect(shown.recovery_time_seconds).toBeUndefined();
    expect(shown).not.toHaveProperty('search_text');
  });

  test('shows its recovery time once resolved', () => {
    expect(showIncident({ ...opened(), status: 'resolved', resolved_at: startedAt + 61_400, recovery_time_seconds: 61 })).toMatchObject({
      recovery_time_seconds: 61, resolved_at: '2026-01-02T03:05:06.400Z',
    });
  });

  test('fits the limits of the API whatever the monitor is called and the error says', () => {
    const doc = openedIncident({ ...opening, affected_regions: [], monitor: monitorConfig({ name: 'n'.repeat(300) }), error_message: 'e'.repeat(2000) }, 1);
    expect([doc.title.length, doc.error_message.length]).toEqual([255, 1000]);
    expect(openedIncident({ ...opening, affected_regions: [], error_message: '' }, 1).error_message).toBe('timeout');
    expect(openedIncident({ ...opening, affected_regions: [], type: 'slow_response' }, 1).title).toBe('Shop responds slowly');
  });

  test('has a history whose lines are the same however often they are made, in order', () => {
    const doc = { ...opened(), updated_at: opened().created_at };
    const lines = [openingUpdate(doc), resolutionUpdate(doc)];
    expect([openingUpdate(doc)._id, resolutionUpdate(doc)._id]).toEqual(lines.map((line) => line._id));
    expect(lines[0]?._id).not.toBe(lines[1]?._id);
    expect((lines[1]?.created_at ?? 0) > (lines[0]?.created_at ?? 0)).toBe(true);
    expect(showIncidentUpdate(resolutionUpdate({ ...doc, acknowledged_at: 5 }))).toMatchObject({ kind: 'status_change', field: 'status', from: 'acknowledged', to: 'resolved' });
  });
});

test.each([[0, 61_400, 61], [0, 0, 0], [5000, 1000, 0], [0, 1499, 1], [0, 1500, 2]])('from %i to %i ms it took %i seconds', (from, to, seconds) => {
  expect(recoverySeconds(from, to)).toBe(seconds);
});

test('a search finds text, not patterns, in any case', () => {
  const text = searchText('Shop (EU) a+b $1 [x]', 'ÄRGER\u0301', 'İstanbul');
  for (const found of ['(eu)', 'A+B', '$1', '[X]', 'ärgeŕ', 'İ']) expect(new RegExp(searchPattern(found)).test(text), found).toBe(true);
  expect(new RegExp(searchPattern('two\nlines')).test(searchText('a', 'two\nlines'))).toBe(true);
  for (const missing of ['[x]\nä', '.*', '(eu|us)', 'a{1}', '^shop', '\\w']) expect(new RegExp(searchPattern(missing)).test(text), missing).toBe(false);
});
