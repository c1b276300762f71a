import { Counter, Histogram, type Registry } from 'prom-client';

interface ServedRequest {
  method: string;
  /** The declared path, never the requested one. */
  route: string;
  status: number;
  durationMs: number;
}

export type RequestObserver = (request: ServedRequest) => void;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts and times requests. All labels come from closed sets, so that callers cannot create series. */
export function observeRequests(registry: Registry): RequestObserver {
  const served = new Counter({
    name: 'farwatch_http_requests_total', help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'] as const, registers: [registry],
  });
  const duration = new Histogram({
    name: 'farwatch_http_request_duration_seconds', help: 'Time from request to answer, by route.',
    labelNames: ['method', 'route'] as const, buckets: SECONDS, registers: [registry],
  });
  return ({ method: given, route, status, durationMs }) => {
    const method = METHODS.has(given) ? given : 'other';
    served.inc({ method, route, status: String(status) });
    duration.observe({ method, route }, durationMs / 1000);
  };
}
