import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { createAuditRecorder } from '../audit/recorder.ts';
import { auditRoutes } from '../audit/routes.ts';
import { AuditStore } from '../audit/store.ts';
import type { ControllerConfig } from '../config.ts';
import { createApp } from '../http/app.ts';
import { observeRequests } from '../http/metrics.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import type { Route } from '../http/route.ts';
import type { HttpServer } from '../http/server.ts';
import { systemRoutes } from '../http/system-routes.ts';
import type { NatsBus } from '../platform/bus/bus.ts';
import { isDatabaseUnavailable } from '../platform/mongo/mongo-errors.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import type { Accounts } from './accounts.ts';
import type { Events } from './events.ts';
import { observeDeliveries, observeEvents, observeResults } from './metrics.ts';
import type { Notifications } from './notifications.ts';
import type { Results } from './results.ts';

/** Its default wakes the process a hundred times a second to see how late it is. */
const LATENESS_EVERY_MS = 500;

export interface HttpOptions {
  /** Of all that the API serves, but for what is here: health, metrics, the audit log and the reference. */
  routes: Route[];
  config: ControllerConfig['http'];
  mongo: Mongo;
  bus: NatsBus;
  accounts: Accounts;
  results: Results;
  notifications: Notifications;
  events: Events;
  clock: Clock;
  log: Log;
}

/** The API with its metrics and its audit log, put together and not yet listening. */
export async function openHttp(options: HttpOptions): Promise<HttpServer> {
  const { config, mongo, bus, accounts, results, clock, log } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LATENESS_EVERY_MS });
  observeResults(registry, results.shards, bus);
  observeDeliveries(registry, options.notifications);
  observeEvents(registry, options.events.hub);
  const entries = new AuditStore(mongo.db);
  await entries.ensureIndexes();
  const checks = [
    { name: 'mongodb', isReady: () => mongo.ping().then(() => true) },
    { name: 'nats', isReady: async () => bus.isConnected },
    { name: 'shards', isReady: async () => results.shards.states.size > 0 },
  ];
  return createApp({
    routes: [...systemRoutes({ registry, clock, checks }), ...auditRoutes({ entries }), ...options.routes],
    audit: createAuditRecorder({ entries, organizationsOf: accounts.organizationsOf, log }),
    credentials: accounts.credentials, tenants: accounts.tenants, limiter: new RateLimiter(clock, config.rateLimit), clock, log, trustProxy: config.trustProxy,
    isUnavailable: isDatabaseUnavailable, observe: observeRequests(registry),
  });
}
