import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { until } from '../helpers/until.ts';

interface Monitor {
  id: string;
  heartbeat_token: string;
  runtimeStatus: string;
}

describe('an acknowledged ping', () => {
  let farwatch: Farwatch;
  beforeAll(async () => {
    farwatch = await startFarwatch();
  });
  afterAll(() => farwatch.stop());

  test('survives a kill of the controller and counts once', async () => {
    const kills = fewOrAll(1, 3);
    const session = await new ApiSession(farwatch.url).begin();
    const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 };
    const { monitor } = await session.ok<{ monitor: Monitor }>('POST', '/api/monitors', body);
    for (let round = 1; round <= kills; round += 1) {
      const response =
        await fetch(`${farwatch.url}/api/heartbeat/${monitor.heartbeat_token}`, { method: 'POST' });
      expect(response.status).toBe(200);
      const killed = await farwatch.kill9('controller');
      await farwatch.replaced('controller', killed);
      await until(async () => (await session.ok<{ total_checks: number }>(
        'GET', `/api/monitors/${monitor.id}/stats`,
      )).total_checks === round, {
        what: `${round} pings are counted`, everyMs: 200,
      });
    }
    expect(
      (await session.ok<{ monitor: Monitor }>('GET', `/api/monitors/${monitor.id}`)).monitor.runtimeStatus,
    ).toBe('up');
  });
});
