import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db, Document } from 'mongodb';
import { Registry } from 'prom-client';
import { openKeyRing, type KeyRing } from '../../controller/accounts/sessions/key-ring.ts';
import { openAccounts, type Accounts } from '../../controller/wiring/accounts.ts';
import { accountRoutes } from '../../controller/accounts/routes.ts';
import { createAuditRecorder } from '../../controller/audit/recorder.ts';
import { auditRoutes } from '../../controller/audit/routes.ts';
import { AuditStore } from '../../controller/audit/store.ts';
import { heartbeatRoutes } from '../../controller/heartbeats/routes.ts';
import { PingStore } from '../../controller/heartbeats/store.ts';
import { createApp, type AppDeps } from '../../controller/http/app.ts';
import { observeRequests } from '../../controller/http/metrics.ts';
import { RateLimiter } from '../../controller/http/rate-limit.ts';
import { referenceRoutes } from '../../controller/http/reference/routes.ts';
import type { Route } from '../../controller/http/route.ts';
import { systemRoutes, type ReadinessCheck } from '../../controller/http/system-routes.ts';
import type { MonitorDeps } from '../../controller/monitors/deps.ts';
import { monitorRoutes } from '../../controller/monitors/routes.ts';
import type { MonitorStore } from '../../controller/monitors/store.ts';
import { openMonitors } from '../../controller/wiring/monitors.ts';
import { openGroups } from '../../controller/wiring/groups.ts';
import { isDatabaseUnavailable } from '../../controller/platform/mongo/mongo-errors.ts';
import { openMailer, type MailConfig } from '../../controller/platform/mail/mailer.ts';
import { openMongo, type Mongo } from '../../controller/platform/mongo/mongo.ts';
import { loadPlans, withShortestIntervals, type PlanName } from '../../controller/plans/plans.ts';
import type { MonitorLive } from '../../controller/results/reading/live.ts';
import type { PeriodStats, RecentResult } from '../../controller/results/reading/periods.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { ApiClient } from './api-client.ts';
import { commandViolations } from './command-violations.ts';
import { testMongo } from './mongo.ts';
import { readMail, type ReadMail } from './read-mail.ts';

export interface AppOptions {
  registration?: 'first-user' | 'open' | 'closed';
  defaultPlan?: PlanName;
  /** As the file that PLANS_FILE names. */
  plansJson?: string;
  minIntervalSeconds?: number;
  rateLimit?: number;
  trustProxy?: number;
  clock?: Clock;
  log?: Log;
  limits?: AppDeps['limits'];
  checks?: ReadinessCheck[];
  /** More routes, built over the same database. */
  routes?(db: Db, accounts: Accounts): Route[] | Promise<Route[]>;
  /** Another database than a fresh one of its own. */
  mongoUrl?: string;
  /** Where mail goes instead of into files. */
  mail?: Partial<MailConfig>;
}

/** What the shards' owners and the statistics would say: tests write into it. */
export interface Observed {
  live: Map<string, MonitorLive>;
  stats: Map<string, PeriodStats>;
  recent: RecentResult[];
  incidentStatuses: Map<string, 'open' | 'acknowledged' | 'resolved' | 'closed'>;
  regions: Map<string, { organizationId: string | null; city: string }>;
  destinations: Map<string, { organizationId: string; projectId: string }>;
  /** Shards that were poked, in order. */
  poked: number[];
  /** When set, reading live state or statistics fails with it. */
  failure: Error | null;
}

export interface TestApp {
  url: string;
  db: Db;
  routes: readonly Route[];
  accounts: Accounts;
  /** What it signs session tokens with. */
  ring: KeyRing;
  monitors: MonitorStore;
  observed: Observed;
  /** Without credentials. */
  client: ApiClient;
  /** What was mailed to an address so far, oldest first, while mail goes into files. */
  mailsTo(email: string): ReadMail[];
  /** Commands outside the closed list that were sent so far. */
  violations(): string[];
  close(): Promise<void>;
}

/** Cheap enough for a suite; what the real cost gives is tested on its own. */
const TEST_COST = { logN: 10, maxConcurrent: 4, maxWaiting: 1000 };

/** The whole Koa app on a port of its own, over a real MongoDB wire server with a fresh database. */
export async function makeApp(options: AppOptions = {}): Promise<TestApp> {
  const server = options.mongoUrl === undefined ? await testMongo() : null;
  const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-app-'));
  const violations = new Set<string>();
  const mongo: Mongo = openMongo(options.mongoUrl ?? (server as { url: string }).url, {
    onCommand: (command: Document) => commandViolations(command).forEach((text) => violations.add(text)),
  });
  const { clock = systemClock, log = createLog('test', 'silent') } = options;
  const { store: monitors, lists, counts } = await openMonitors({ db: mongo.db, clock, log });
  const mailFolder = join(dataDir, 'mail');
  const mailer = openMailer({ from: 'Farwatch <farwatch@test.example>', isFromGiven: true, mailgun: null, smtpUrl: null, ...options.mail }, { folder: mailFolder, clock, log });
  let url = '';
  const ring = await openKeyRing(join(dataDir, 'jwt-keys.json'));
  const accounts = await openAccounts({
    db: mongo.db,
    clock,
    log,
    ring,
    plans: withShortestIntervals(loadPlans(options.plansJson ?? null), options.minIntervalSeconds ?? 30),
    defaultPlan: options.defaultPlan ?? 'scale',
    registration: options.registration ?? 'open',
    countMonitors: (organizationId) => monitors.countOfOrganization(organizationId),
    contentsOfProject: async (tenant) => ((await monitors.hasAny(tenant)) ? 'monitors' : (await groups.store.count(tenant)) > 0 ? 'groups' : null),
    mailer,
    baseUrl: () => url,
    passwordCost: TEST_COST,
  });
  const groups = await openGroups(mongo.db, clock);
  const observed = emptyObserved();
  const monitorDeps: MonitorDeps = {
    monitors,
    lists,
    counts,
    quota: accounts.quota,
    groups: groups.lookup,
    ...portsOver(observed),
    poke: (shard) => observed.poked.push(shard),
    minIntervalSeconds: options.minIntervalSeconds ?? 30,
    log,
  };
  const audited = new AuditStore(mongo.db);
  await audited.ensureIndexes();
  const registry = new Registry();
  const checks = options.checks ?? [{ name: 'mongodb', isReady: () => mongo.ping().then(() => true) }];
  const own = [
    ...systemRoutes({ checks, registry, clock }), ...accountRoutes(accounts.deps), ...auditRoutes({ entries: audited }), ...monitorRoutes(monitorDeps),
    ...groups.over(monitorDeps).routes,
    ...heartbeatRoutes({ monitors, pings: new PingStore(mongo.db), poke: monitorDeps.poke, lost: () => undefined }),
    ...((await options.routes?.(mongo.db, accounts)) ?? []),
  ];
  const app = createApp({
    audit: createAuditRecorder({ entries: audited, organizationsOf: accounts.organizationsOf, log }),
    routes: own,
    credentials: accounts.credentials,
    tenants: accounts.tenants,
    limiter: new RateLimiter(clock, options.rateLimit ?? 1_000_000),
    clock,
    trustProxy: options.trustProxy ?? 0,
    log,
    isUnavailable: isDatabaseUnavailable,
    observe: observeRequests(registry),
    limits: options.limits,
  });
  const port = await app.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${port}`;
  const routes = [...own, ...referenceRoutes(own)];
  return {
    url,
    db: mongo.db,
    routes,
    accounts,
    ring,
    monitors,
    observed,
    client: new ApiClient(url, routes),
    mailsTo: (email) => readMails(mailFolder).filter((mail) => mail.headers['to'] === email),
    violations: () => [...violations],
    close: async () => {
      await app.close();
      await accounts.close();
      await mailer.close();
      await mongo.close();
      await server?.stop();
      rmSync(dataDir, { recursive: true, force: true });
      if (violations.size > 0) throw new Error(`commands outside the closed list: ${[...violations].join('; ')}`);
    },
  };
}

function readMails(folder: string): ReadMail[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith('.eml')).sort().map((name) => readMail(readFileSync(join(folder, name), 'latin1')));
}

function emptyObserved(): Observed {
  return {
    live: new Map(), stats: new Map(), recent: [], incidentStatuses: new Map(), regions: new Map(), destinations: new Map(), poked: [], failure: null,
  };
}

function portsOver(observed: Observed): Pick<MonitorDeps, 'regions' | 'destinations' | 'readers' | 'runner'> {
  const only = <T>(map: Map<string, T>, ids: string[]) => new Map([...map].filter(([id]) => ids.includes(id)));
  const known = (id: string) => {
    const [live, stats] = [observed.live.get(id), observed.stats.get(id) ?? null];
    return live === undefined ? null : { id, live, stats };
  };
  const unlessFailing = async <T>(value: T): Promise<T> => {
    if (observed.failure !== null) throw observed.failure;
    return value;
  };
  return {
    regions: {
      unknownRegions: async (organizationId, ids) =>
        ids.filter((id) => {
          const region = observed.regions.get(id);
          return region === undefined || (region.organizationId !== null && region.organizationId !== organizationId);
        }),
      cities: async (ids) => new Map([...only(observed.regions, ids)].filter(([, region]) => region.city !== '').map(([id, region]) => [id, region.city])),
    },
    destinations: {
      unknownDestinations: async (tenant, ids) =>
        ids.filter((id) => {
          const owner = observed.destinations.get(id);
          return owner?.organizationId !== tenant.organizationId || owner.projectId !== tenant.projectId;
        }),
    },
    runner: { regionsOf: async () => [], run: async () => [] },
    readers: {
      live: { states: (ids) => unlessFailing(only(observed.live, ids)) },
      statistics: {
        period: (id) => unlessFailing(known(id)),
        list30d: (ids) => unlessFailing(new Map(ids.flatMap((id) => known(id) ?? []).map((one) => [one.id, one]))),
        periods: (ids, hours) => unlessFailing(new Map(ids.flatMap((id) => known(id) ?? []).map(({ id, live, stats }) => [id, { live, periods: hours.map(() => stats) }]))),
        recent: (_projectId, limit) => unlessFailing(observed.recent.slice(0, limit)),
      },
      history: {
        statusSpans: async () => [],
        results: async () => ({ results: [], next: null }),
        responseTimes: async () => new Map(),
      },
      incidents: { statuses: async (ids) => only(observed.incidentStatuses, ids) },
    },
  };
}
