import { Counter, type Metric, type Registry } from 'prom-client';

interface ServedRequest {
  method: string;
  /** The declared path, never the requested one. */
  route: string;
  status: number;
  durationMs: number;
}

export type RequestObserver = (request: ServedRequest) => void;

const DURATION = 'farwatch_http_request_duration_seconds';
const BUCKET_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface RouteMetrics {
  labels: { method: string; route: string };
  byStatus: Map<number, number>;
  /** Requests per bucket of BUCKET_BOUNDS_SECONDS, not cumulative; the last one has no upper bound. */
  bucketCounts: number[];
  seconds: number;
}

/**
 * Counts and times requests. Labels come from closed sets, so that callers can't create series. Counters are
 * local until scraped: finding the library's series by its labels would cost a quarter of a status page per
 * request.
 */
export function observeRequests(registry: Registry): RequestObserver {
  const routes = new Map<string, Map<string, RouteMetrics>>();
  const all = () => [...routes.values()].flatMap((methods) => [...methods.values()]);
  new Counter({
    name: 'farwatch_http_requests_total', help: 'Requests, by route and status.',
    labelNames: ['method', 'route', 'status'] as const, registers: [registry],
    collect() {
      this.reset();
      for (const { labels, byStatus } of all()) {
        for (const [status, count] of byStatus) this.inc({ ...labels, status: String(status) }, count);
      }
    },
  });
  registry.registerMetric(durationsOf(all));
  return ({ method: requestMethod, route, status, durationMs }) => {
    const method = METHODS.has(requestMethod) ? requestMethod : 'other';
    const metrics = routes.get(route)?.get(method) ?? createMetrics(routes, { method, route });
    metrics.byStatus.set(status, (metrics.byStatus.get(status) ?? 0) + 1);
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (
      bucket < BUCKET_BOUNDS_SECONDS.length && seconds > (BUCKET_BOUNDS_SECONDS[bucket] as number)
    ) bucket += 1;
    metrics.bucketCounts[bucket] = (metrics.bucketCounts[bucket] as number) + 1;
    metrics.seconds += seconds;
  };
}

function createMetrics(routes: Map<string, Map<string, RouteMetrics>>, labels: RouteMetrics['labels']): RouteMetrics {
  const methods = routes.get(labels.route) ?? new Map<string, RouteMetrics>();
  routes.set(labels.route, methods);
  const bucketCounts = new Array<number>(BUCKET_BOUNDS_SECONDS.length + 1).fill(0);
  const metrics = { labels, byStatus: new Map(), bucketCounts, seconds: 0 };
  methods.set(labels.method, metrics);
  return metrics;
}

/** A histogram whose values are counted elsewhere. A registry only needs a metric's name and `get`. */
function durationsOf(all: () => RouteMetrics[]): Metric {
  const metric = {
    name: DURATION,
    get: async () => ({
      name: DURATION, help: 'Time from request to response, by route.', type: 'histogram', aggregator: 'sum',
      values: all().flatMap(({ labels, bucketCounts, seconds }) => {
        let count = 0;
        const buckets = bucketCounts.map((bucketCount, bucket) => {
          count += bucketCount;
          const bucketLabels = { le: BUCKET_BOUNDS_SECONDS[bucket] ?? '+Inf', ...labels };
          return { metricName: `${DURATION}_bucket`, labels: bucketLabels, value: count };
        });
        return [
          ...buckets, { metricName: `${DURATION}_sum`, labels, value: seconds },
          { metricName: `${DURATION}_count`, labels, value: count },
        ];
      }),
    }),
  };
  return metric as unknown as Metric;
}
