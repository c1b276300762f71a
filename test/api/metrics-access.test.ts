import { expect, test } from 'vitest';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { makeApp } from '../helpers/make-app.ts';

const TOKEN = 'a-token-for-the-scraper';
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('the metrics are open by default', async () => {
  const app = await makeApp();
  expect((await app.client.get('/metrics')).text).toContain('farwatch_http_requests_total');
  await app.close();
});

test('with METRICS_TOKEN the metrics require it, and guesses are counted', async () => {
  const app = await makeApp({ env: { METRICS_TOKEN: TOKEN, RATE_LIMIT: '5' } });
  const { status, text } = await app.client.get('/metrics', bearer(TOKEN));
  expect([status, text.includes('farwatch_http_requests_total')]).toEqual([200, true]);
  const without = await app.client.get('/metrics');
  expect([without.status, without.code]).toEqual([401, 'MISSING_AUTH']);
  for (const wrong of [`${TOKEN}x`, TOKEN.slice(1), '', 'x']) {
    const response = await app.client.get('/metrics', bearer(wrong));
    expect([response.status, response.code]).toEqual([401, 'INVALID_TOKEN']);
  }
  expect((await app.client.get('/metrics', bearer('x'))).code).toBe('RATE_LIMIT_EXCEEDED');
  expect((await app.client.get('/metrics', bearer(TOKEN))).status).toBe(200);
  expect((await app.client.get('/healthz')).status).toBe(200);
  await app.close();
});

test('the OpenAPI document names the credential of the metrics', async () => {
  const app = await makeApp({ env: { METRICS_TOKEN: TOKEN } });
  const { body, text } = await app.client.get('/api/openapi.json');
  expect(body.paths['/metrics'].get.security).toEqual([{ metricsToken: [] }]);
  expect(text).not.toContain(TOKEN);
  await app.close();
});

test('METRICS_LISTEN serves the metrics, and nothing else, at a separate address', async () => {
  const port = await freePort();
  const app = await makeApp({ env: { METRICS_LISTEN: `127.0.0.1:${port}`, METRICS_TOKEN: TOKEN } });
  const at = (path: string, init = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  await app.client.get('/healthz');
  const response = await at('/metrics', bearer(TOKEN));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('route="/healthz"');
  expect((await at('/metrics')).status).toBe(401);
  for (const path of ['/healthz', '/api/openapi.json', '/api/docs', '/api/monitors', '/']) {
    expect((await at(path)).status, path).toBe(404);
  }
  const onMain = await app.client.get('/metrics', bearer(TOKEN));
  expect([onMain.status, onMain.body]).toEqual([404, { error: 'Not Found', path: '/metrics' }]);
  await app.close();
  await expect(at('/metrics')).rejects.toThrow();
});
