import { expect, test } from 'vitest';
import { ApiSession } from '../../helpers/api-session.ts';
import type { Farwatch } from '../../helpers/farwatch.ts';
import { startReceiver } from '../../helpers/receiver.ts';
import { until } from '../../helpers/until.ts';

/** A first retry is due after 10 to 12 s. An idle controller polls every minute for unexpected work. */
const FAR_BEYOND_RETRY_MS = 35_000;

/** Alerts of an installation that has nothing else to do. */
export function idleAlerts(on: { readonly farwatch: Farwatch }): void {
  test('an installation with one monitor retries a webhook on schedule after a 503', async () => {
    const session = await new ApiSession(on.farwatch.url).begin();
    const receiver = await startReceiver({ behaviour: 503 });
    const { integration } = await session.ok<{ integration: { id: string } }>('POST', '/api/integrations', {
      name: 'Hook', type: 'webhook', is_default: true, config: { url: receiver.url, method: 'POST' },
    });
    const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 };
    const { monitor } = await session.ok<{ monitor: { id: string; heartbeat_token: string } }>('POST', '/api/monitors', body);
    await fetch(`${on.farwatch.url}/api/heartbeat/${monitor.heartbeat_token}/fail`, { method: 'POST' });
    const [first, second] = await until(
      () => receiver.requests.length >= 2 && receiver.requests, { what: 'the alert is retried' },
    );
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(FAR_BEYOND_RETRY_MS);
    await session.ok('DELETE', `/api/monitors/${monitor.id}`);
    await session.ok('DELETE', `/api/integrations/${integration.id}`);
    await receiver.close();
  });
}
