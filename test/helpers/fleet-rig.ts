import type { Document } from 'mongodb';
import { loadControllerConfig } from '../../controller/config.ts';
import { openDirectory, openFleet, type Fleet } from '../../controller/wiring/fleet.ts';
import { openStores } from '../../controller/wiring/stores.ts';
import { MonitorStore } from '../../controller/monitors/store.ts';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { HTTP_DEFAULTS } from '../../controller/monitors/settings/http.ts';
import { NO_SETTINGS } from '../../controller/monitors/settings/registry.ts';
import type { OrganizationContext, Route } from '../../controller/http/routing/route.ts';
import { Quota } from '../../controller/plans/quota.ts';
import { UsageStore } from '../../controller/plans/usage-store.ts';
import type { NatsBus } from '../../controller/platform/bus/bus.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import type { NatsUsersFiles } from '../../controller/platform/bus/nats-users.ts';
import { Peers } from '../../controller/work/peers.ts';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { derivedId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { testMongo, type TestMongo } from './mongo.ts';
import { checkedMongo } from './checked-mongo.ts';
import type { NatsVersion } from './nats-programs.ts';
import { startNats, type TestNats } from './nats-server.ts';
import { TestProbe } from './test-probe.ts';
import { shardMap } from './shard-map.ts';

export const ORGANIZATION = 'org-1';
const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent');

/** The parts of a test server used by a rig. */
export interface RigNats {
  url: string;
  controllerCreds: string;
  users: NatsUsersFiles | null;
  stop(): Promise<void>;
}

/** The fleet part of one or more controllers, on a real NATS server and a store. */
export class FleetRig {
  readonly nats: RigNats;
  readonly store: TestMongo;
  readonly mongo: Mongo;
  readonly monitors: MonitorStore;
  readonly fleets: { fleet: Fleet; bus: NatsBus }[] = [];
  readonly probes: TestProbe[] = [];
  /** Receives each command sent to the database. */
  onCommand: (command: Document) => void = () => undefined;

  constructor(nats: RigNats, store: TestMongo) {
    this.nats = nats;
    this.store = store;
    this.mongo = checkedMongo(store.url, (command) => this.onCommand(command));
    this.monitors = new MonitorStore(this.mongo.db, shardMap);
  }

  /** By default, on the quickstart's own server version. */
  static async start(version?: NatsVersion): Promise<FleetRig> {
    return FleetRig.on(fileServer(await startNats({ version })));
  }

  static async on(nats: RigNats): Promise<FleetRig> {
    const rig = new FleetRig(nats, await testMongo());
    await rig.monitors.ensureIndexes();
    return rig;
  }

  /** Starts the fleet part of another controller, which owns all regions or none. */
  async controller({ ownsAll = true, env = {}, clock = systemClock, mongo = this.mongo, beforeFlush }: {
    ownsAll?: boolean; env?: Record<string, string>; clock?: Clock; mongo?: Mongo;
    /** Called before the controller knows that NATS has received its messages. */
    beforeFlush?: () => Promise<void>;
  } = {}): Promise<Fleet> {
    const { url, controllerCreds: creds, users } = this.nats;
    const bus = await connectBus({ url, creds, name: 'controller', log });
    const flush = bus.flush.bind(bus);
    if (beforeFlush) bus.flush = () => beforeFlush().then(flush);
    const config = loadControllerConfig({
      MONGODB_URL: this.store.url, NATS_URL: url, NATS_CREDS: creds,
      ...env,
      ...(users === null ? {} : { NATS_USERS_FILE: users.file, NATS_PID_FILE: users.pidFile }),
    });
    const ports = {
      config, mongo, stores: await openStores(mongo.db, clock, shardMap), bus, clock, log, timeZone: 'Europe/Berlin', peers: new Peers(), shardMap, ownsShard: () => ownsAll,
      natsUrl: () => url,
    };
    const fleet = await openFleet(ports, {
      directory: openDirectory(ports), otherUsers: async () => [], notify: async () => undefined,
      quota: new Quota({
        usage: new UsageStore(this.mongo.db), plans: config.accounts.plans, clock: systemClock,
        organizations: { find: async () => null },
      defaultPlan: 'scale', count: {},
      }),
    });
    await fleet.lifecycle.start();
    this.fleets.push({ fleet, bus });
    return fleet;
  }

  get fleet(): Fleet {
    const first = this.fleets[0];
    if (!first) throw new Error('no controller');
    return first.fleet;
  }

  /** Registers and enrols a probe through the routes' handlers, and connects it. */
  async probe(name: string, region = 'local'): Promise<TestProbe> {
    const probe = await this.enrolled(name, region);
    await probe.connect();
    return probe;
  }

  async enrolled(name: string, region = 'local'): Promise<TestProbe> {
    const created = (await this.call(
      'POST', '/api/probes', { body: { region_id: region, name } },
    )) as { enrolment_token: string };
    const probe = new TestProbe();
    this.probes.push(probe);
    probe.enrolment = (await this.call(
      'POST', '/api/probes/enrol', { body: probe.request(created.enrolment_token) },
    )) as EnrolResponse;
    return probe;
  }

  /** `data` of a route's response to the operator, without HTTP. */
  async call(
    method: Route['method'], path: string, input: { params?: object; body?: object } = {},
  ): Promise<unknown> {
    const route = this.fleet.routes.find((one) => one.method === method && one.path === path) as Route;
    const actor = {
      kind: 'session', userId: 'u', email: 'e', name: 'n', isOperator: true, isVerified: true, sessionId: 's',
    } as const;
    const ctx: OrganizationContext = {
      requestId: 'r', address: 'ip:a', clientAddress: '192.0.2.1', now: Date.now(), actor, tenant: { organizationId: ORGANIZATION }, role: 'owner',
    };
    const body = route.body?.parse(input.body);
    return (await route.handle(ctx, { params: input.params, query: undefined, body })).data;
  }

  async stop(): Promise<void> {
    await Promise.all(this.probes.map((probe) => probe.stop()));
    for (const { fleet, bus } of this.fleets) {
      await fleet.lifecycle.stop();
      await bus.close();
    }
    await this.store.stop();
    await this.nats.stop();
    await this.mongo.close();
  }
}

/** A server whose users the controllers write to its file. */
export function fileServer(nats: TestNats): RigNats {
  const { url, controllerCreds, usersFile, pidFile } = nats;
  return { url, controllerCreds, users: { file: usersFile, pidFile }, stop: () => nats.stop() };
}

export function monitorDoc(at: number, change: Partial<MonitorDoc> = {}): MonitorDoc {
  return {
    _id: derivedId(
      'monitor', at,
    ), organization_id: ORGANIZATION, project_id: 'project', created_by: 'u', name: `m${at}`, type: 'HTTP', target: `http://127.0.0.1:9/${at}`,
    interval_seconds: 60, timeout_ms: null, status: 'active', deleted_at: null, revision: 1,
    check_revision: 1,
    ...NO_SETTINGS,
    http: { ...HTTP_DEFAULTS, headers: { authorization: 'Bearer canary-secret' } },
    ssl_monitoring: null, domain_monitoring: null, tags: [], monitoring_regions: [],
    notification_target_ids: [], depends_on: [],
    confirmation_policy: { regions: 'majority', retries: 1, recoveries: 0 }, is_inverted: false, runbook_url: null, alert_severity: null,
    search_text: '', created_at: 1, updated_at: 1,
    ...change,
  };
}
