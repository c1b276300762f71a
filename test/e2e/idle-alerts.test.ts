import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

/** A first retry is due after 10 to 12 s. An idle controller polls every minute for unexpected work. */
const FAR_BEYOND_RETRY_MS = 35_000;

let [farwatch, receiver] = [] as unknown as [Farwatch, Receiver];

beforeAll(async () => {
  receiver = await startReceiver({ behaviour: 503 });
  farwatch = await startFarwatch({ env: { ALLOW_PRIVATE_DESTINATIONS: 'true' } });
});
afterAll(async () => {
  await Promise.all([farwatch?.stop(), receiver?.close()]);
});

test('a default installation with one monitor retries a webhook on schedule after a 503', async () => {
  const session = await new ApiSession(farwatch.url).begin();
  await session.ok('POST', '/api/integrations', {
    name: 'Hook', type: 'webhook', is_default: true, config: { url: receiver.url, method: 'POST' },
  });
  const body = { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 };
  const { monitor } = await session.ok<{ monitor: { heartbeat_token: string } }>('POST', '/api/monitors', body);
  await fetch(`${farwatch.url}/api/heartbeat/${monitor.heartbeat_token}/fail`, { method: 'POST' });
  const [first, second] = await until(
    () => receiver.requests.length >= 2 && receiver.requests, { what: 'the alert is retried' },
  );
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(FAR_BEYOND_RETRY_MS);
});
