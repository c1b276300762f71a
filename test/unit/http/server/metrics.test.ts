import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeRequests } from '../../../../controller/http/server/metrics.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The same metrics as counted by the library itself. */
function byTheLibrary(registry: Registry): ReturnType<typeof observeRequests> {
  const served = new Counter({
    name: 'farwatch_http_requests_total', help: 'Requests, by route and status.',
    labelNames: ['method', 'route', 'status'], registers: [registry],
  });
  const duration = new Histogram({
    name: 'farwatch_http_request_duration_seconds', help: 'Time from request to response, by route.',
    labelNames: ['method', 'route'], buckets: BUCKETS, registers: [registry],
  });
  return ({ method, route, status, durationMs }) => {
    served.inc({ method, route, status: String(status) });
    duration.observe({ method, route }, durationMs / 1000);
  };
}

test('metrics match those that the library would have counted, however often they are scraped', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const observers = [observeRequests(ours), byTheLibrary(theirs)];
  expect(await ours.metrics()).toBe(await theirs.metrics());
  const times = [0, 1, 1.5, 2.5, 30, 999, 10_000, 10_001];
  for (const route of ['/status/:subdomain', '/api/"quoted"']) {
    for (const [at, durationMs] of times.entries()) {
      const request = { method: 'GET', route, status: at % 3 === 0 ? 304 : 200, durationMs };
      for (const observe of observers) observe(request);
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('methods that clients can invent share one label', async () => {
  const registry = new Registry();
  const observe = observeRequests(registry);
  for (const method of ['PROPFIND', 'MADE-UP']) observe({ method, route: 'none', status: 404, durationMs: 1 });
  const text = await registry.metrics();
  expect(text).toContain('farwatch_http_requests_total{method="other",route="none",status="404"} 2');
  expect(text).toContain('farwatch_http_request_duration_seconds_count{method="other",route="none"} 2');
});
