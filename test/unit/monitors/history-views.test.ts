import { expect, test } from 'vitest';
import { viewResult } from '../../../controller/monitors/history/views.ts';
import { overdueRow } from '../../../controller/results/hours/ping-rows.ts';

test('received and missed pings have no probe', () => {
  const row = overdueRow(5000);
  expect(viewResult('m', row.region, row.probe_id, row)).toMatchObject({
    monitor_id: 'm', region: 'heartbeat', probe_id: null, checked_at: 5000,
  });
});
