import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { ActorError } from '../../shared/actor/actor-ref.ts';
import { createAuditRecorder } from '../audit/recorder.ts';
import { auditRoutes } from '../audit/routes.ts';
import { consoleRoutes, rewriteViewPath } from '../console/routes.ts';
import type { AppDeps } from '../http/server/app.ts';
import { DocumentMemory } from '../http/body/document-memory.ts';
import { observeRequests } from '../http/server/metrics.ts';
import { CompressedFiles } from '../http/responses/compressed-files.ts';
import { queueRefusal, RateLimiter, rateLimitExceeded } from '../http/limits/rate-limit.ts';
import type { Route } from '../http/routing/route.ts';
import { SessionCookie } from '../http/routing/authorize.ts';
import { StreamGuards } from '../http/responses/stream-guards.ts';
import { busRoute, metricsRoute, systemRoutes } from '../http/server/system-routes.ts';
import { BusRelay } from '../platform/bus/bus-relay.ts';
import { isDatabaseUnavailable } from '../platform/mongo/mongo-errors.ts';
import type { RefusedWrites } from '../platform/mongo/refused-writes.ts';
import type { ResultsService } from '../results/service.ts';
import { FairQueue } from '../work/fair-queue.ts';
import type { Accounts } from './accounts.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Domains } from './domains.ts';
import type { Events } from './events.ts';
import type { Evidence } from './evidence.ts';
import type { Fleet } from './fleet.ts';
import {
  observeActors, observeAssignments, observeConfirmations, observeDatabase, observeDeliveries, observeDomains,
  observeEvents, observeEvidence, observeExaminations, observeFleet, observeNotices, observeMailers,
  observeResults, observeShares,
} from './metrics.ts';
import type { Notifications } from './notifications.ts';
import type { StatusPages } from './status-pages.ts';
import type { ControllerPorts } from './ports.ts';
import type { Subscribers } from './subscribers.ts';

/** By default the process would wake a hundred times a second to see how late it is. */
const EVENT_LOOP_SAMPLE_MS = 500;

/** Imports and exports: each holds a document in memory. */
const TURNS = { maxRunning: 4, maxRunningPerKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 25_000 };
/** Of documents and files that have come and wait for their turn, bytes: two of the largest. */
const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;
/** For an organization with too many of them waiting, s. */
const TURNS_RETRY_AFTER_S = 10;

interface HttpSources {
  /** Other than health, metrics and the audit log, which are added here. */
  routes: Route[];
  accounts: Accounts;
  results: Pick<ResultsService<never>, 'shards' | 'isReady'>;
  fleet: Pick<Fleet, 'assignments' | 'confirmations' | 'rates' | 'responder' | 'mesh'>;
  notifications: Notifications;
  events: Events;
  refusedWrites: RefusedWrites;
  domains: Pick<Domains, 'lookups'>;
  evidence: Pick<Evidence, 'intake'>;
  diagnosis: Pick<Diagnosis, 'diagnoser'>;
  subscribers: Pick<Subscribers, 'noticeSender' | 'post'>;
  statusPages: Pick<StatusPages, 'fastResponses' | 'hosts' | 'counter'>;
}

/** The HTTP edge, with its metrics and the audit log. */
export function openHttp(
  { config, mongo, stores, bus, clock, log, consoleDir }: ControllerPorts, sources: HttpSources,
) {
  const { accounts, results, fleet, notifications, events, evidence, subscribers, statusPages } = sources;
  const { credentials, organizationsOf } = accounts;
  const registry = new Registry();
  observeResults(registry, results.shards, bus);
  const { assignments, confirmations, rates, responder, mesh } = fleet;
  observeAssignments(registry, assignments);
  observeConfirmations(registry, confirmations);
  observeExaminations(registry, sources.diagnosis.diagnoser);
  observeFleet(registry, { rates: [results.shards.rate, ...rates, evidence.intake.rate], responder, mesh });
  observeDeliveries(registry, notifications);
  observeActors(registry, [results.shards.actors, notifications.service.actors]);
  observeEvents(registry, events.hub);
  observeDomains(registry, sources.domains.lookups);
  observeEvidence(registry, evidence.intake);
  observeNotices(registry, subscribers.noticeSender);
  observeMailers(registry, { ...accounts.deps.mailers, subscriptions: subscribers.post });
  observeDatabase(registry, sources.refusedWrites);
  const turns = new FairQueue(clock, TURNS, queueRefusal(
    TURNS_RETRY_AFTER_S, 'Too many documents are being processed; try again in a moment',
  ));
  const documentMemory = new DocumentMemory(MAX_DOCUMENT_BYTES, () => rateLimitExceeded(TURNS_RETRY_AFTER_S));
  const { attempts, hasher } = accounts.deps;
  observeShares(registry, { attempts: [attempts, hasher], documents: [turns, documentMemory] });
  const refusedConnections = new Counter({
    name: 'farwatch_http_connections_refused_total', registers: [registry],
    help: 'Connections closed because their address had its share of all connections open.',
  });
  const entries = stores.audit;
  const checks = [
    { name: 'mongodb', isReady: () => mongo.ping().then(() => true) },
    { name: 'nats', isReady: async () => bus.isConnected },
    { name: 'shards', isReady: async () => results.isReady && results.shards.failing === 0 },
  ];
  const guards = new StreamGuards(clock);
  accounts.sessionEnds.onEnded((userId) => guards.recheck(userId));
  const { metrics } = config.http;
  let isMeasured = false;
  const scrape = () => {
    // Measuring wakes an idle process, so it begins when somebody reads it.
    if (!isMeasured) {
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
    }
    isMeasured = true;
    return registry.metrics();
  };
  const metricsRoutes = [metricsRoute({ contentType: registry.contentType, scrape }, metrics.token)];
  const relay = new BusRelay({ bus, url: config.nats.url, clock, log });
  const openBus = () => (bus.isConnected ? { maxFrameBytes: bus.maxPayload, onOpen: relay.open } : null);
  const edge: AppDeps = {
    routes: [
      ...systemRoutes({ clock, checks }), busRoute(openBus),
      ...(metrics.listen === null ? metricsRoutes : []),
      ...consoleRoutes(consoleDir === undefined ? null : CompressedFiles.open(consoleDir)),
      ...auditRoutes({ entries }), ...sources.routes,
    ],
    audit: createAuditRecorder({ entries, organizationsOf, log }),
    credentials, tenants: stores.accounts, clock, log, turns, documentMemory, guards,
    cookie: new SessionCookie(config.http.baseUrl),
    limiter: new RateLimiter(clock, config.http.rateLimit),
    trustProxy: config.http.trustProxy,
    isUnavailable: (error) => error instanceof ActorError || isDatabaseUnavailable(error),
    observe: observeRequests(registry),
    onConnectionRefused: () => refusedConnections.inc(),
    fastResponses: statusPages.fastResponses,
    hosts: statusPages.hosts,
    onPageRequest: (request) => {
      statusPages.counter.record(request);
      rewriteViewPath(request);
    },
  };
  /** For an address of its own; null: the metrics are among the other routes. */
  const { fastResponses: _fastResponses, hosts: _hosts, onPageRequest: _onPageRequest, ...plain } = edge;
  const metricsEdge = metrics.listen === null ? null : { ...plain, routes: metricsRoutes, isBare: true };
  return { edge, metricsEdge };
}
