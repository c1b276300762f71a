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
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The requests of one route with one method. */
interface Served {
  labels: { method: string; route: string };
  byStatus: Map<number, number>;
  /** Requests whose time is in each of SECONDS but not in the one before; the last: longer than all. */
  times: number[];
  seconds: number;
}

/**
 * Counts and times requests. All labels come from closed sets, so that callers cannot create series. The
 * numbers are kept here until they are read: to find a series of the library by its labels for each request
 * would cost as much as a quarter of a status page.
 */
export function observeRequests(registry: Registry): RequestObserver {
  const routes = new Map<string, Map<string, Served>>();
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
  return ({ method: given, route, status, durationMs }) => {
    const method = METHODS.has(given) ? given : 'other';
    const served = routes.get(route)?.get(method) ?? begin(routes, { method, route });
    served.byStatus.set(status, (served.byStatus.get(status) ?? 0) + 1);
    const seconds = durationMs / 1000;
    let place = 0;
    while (place < SECONDS.length && seconds > (SECONDS[place] as number)) place += 1;
    served.times[place] = (served.times[place] as number) + 1;
    served.seconds += seconds;
  };
}

function begin(routes: Map<string, Map<string, Served>>, labels: Served['labels']): Served {
  const methods = routes.get(labels.route) ?? new Map<string, Served>();
  routes.set(labels.route, methods);
  const times = new Array<number>(SECONDS.length + 1).fill(0);
  const served = { labels, byStatus: new Map(), times, seconds: 0 };
  methods.set(labels.method, served);
  return served;
}

/** A histogram of what is counted elsewhere. A registry needs no more of a metric than its name and `get`. */
function durationsOf(all: () => Served[]): Metric {
  const metric = {
    name: DURATION,
    get: async () => ({
      name: DURATION, help: 'Time from request to response, by route.', type: 'histogram', aggregator: 'sum',
      values: all().flatMap(({ labels, times, seconds }) => {
        let count = 0;
        const buckets = times.map((some, place) => {
          count += some;
          const of = { le: SECONDS[place] ?? '+Inf', ...labels };
          return { metricName: `${DURATION}_bucket`, labels: of, value: count };
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
