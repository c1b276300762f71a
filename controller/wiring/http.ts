import { collectDefaultMetrics, Registry } from 'prom-client';
import { createAuditRecorder } from '../audit/recorder.ts';
import { auditRoutes } from '../audit/routes.ts';
import { AuditStore } from '../audit/store.ts';
import type { AppDeps } from '../http/app.ts';
import { observeRequests } from '../http/metrics.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import type { Route } from '../http/route.ts';
import { systemRoutes } from '../http/system-routes.ts';
import { isDatabaseUnavailable } from '../platform/mongo/mongo-errors.ts';
import type { RefusedWrites } from '../platform/mongo/refused-writes.ts';
import type { ResultsService } from '../results/service.ts';
import type { Accounts } from './accounts.ts';
import type { Events } from './events.ts';
import type { Fleet } from './fleet.ts';
import {
  observeAssignments, observeDatabase, observeDeliveries, observeEvents, observeFleet, observeResults,
} from './metrics.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';

/** By default the process would wake a hundred times a second to see how late it is. */
const LATENESS_EVERY_MS = 500;

interface HttpSources {
  /** Other than health, metrics and the audit log, which are added here. */
  routes: Route[];
  accounts: Accounts;
  results: Pick<ResultsService<never>, 'shards' | 'isReady'>;
  fleet: Pick<Fleet, 'assignments' | 'rates' | 'responder'>;
  notifications: Notifications;
  events: Events;
  refusedWrites: RefusedWrites;
}

/** The HTTP edge, with its metrics and the audit log. */
export async function openHttp({ config, mongo, bus, clock, log }: ControllerPorts, sources: HttpSources) {
  const { accounts, results, fleet, notifications, events } = sources;
  const { credentials, tenants, organizationsOf } = accounts;
  const registry = new Registry();
  observeResults(registry, results.shards, bus);
  const { assignments, rates, responder } = fleet;
  observeAssignments(registry, assignments);
  observeFleet(registry, { rates: [results.shards.rate, ...rates], responder });
  observeDeliveries(registry, notifications);
  observeEvents(registry, events.hub);
  observeDatabase(registry, sources.refusedWrites);
  const entries = new AuditStore(mongo.db);
  await entries.ensureIndexes();
  const checks = [
    { name: 'mongodb', isReady: () => mongo.ping().then(() => true) },
    { name: 'nats', isReady: async () => bus.isConnected },
    { name: 'shards', isReady: async () => results.isReady && results.shards.failing === 0 },
  ];
  const edge: AppDeps = {
    routes: [...systemRoutes({ registry, clock, checks }), ...auditRoutes({ entries }), ...sources.routes],
    audit: createAuditRecorder({ entries, organizationsOf, log }),
    credentials, tenants, clock, log,
    limiter: new RateLimiter(clock, config.http.rateLimit),
    trustProxy: config.http.trustProxy,
    isUnavailable: isDatabaseUnavailable,
    observe: observeRequests(registry),
  };
  const measureProcess = () => {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LATENESS_EVERY_MS });
  };
  return { edge, measureProcess };
}
