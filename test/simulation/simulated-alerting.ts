import type { Db } from 'mongodb';
import { createLog } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import { CauseDecider } from '../../controller/causes/decider.ts';
import { DecisionStore } from '../../controller/causes/decision-store.ts';
import { CauseStore } from '../../controller/causes/store.ts';
import { CLAIM_MS } from '../../controller/delivery/attempt-steps.ts';
import { fanOutEnd } from '../../controller/delivery/causes/fan-out-end.ts';
import { Placement } from '../../controller/delivery/causes/placement.ts';
import { ThreadStore } from '../../controller/delivery/causes/thread-store.ts';
import { DigestClaimStore } from '../../controller/delivery/digests/claim-store.ts';
import { FanOut } from '../../controller/delivery/fan-out.ts';
import { QueueStore } from '../../controller/delivery/queue-store.ts';
import { DeliveryService } from '../../controller/delivery/service.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import { couldBeDown } from '../../controller/dependencies/dependency-rules.ts';
import { DependencyGate } from '../../controller/dependencies/gate.ts';
import { HeldAlerts } from '../../controller/dependencies/held-alerts.ts';
import { HeldAlertStore } from '../../controller/dependencies/store.ts';
import type { DestinationDoc } from '../../controller/destinations/destination.ts';
import { moveIncident } from '../../controller/incidents/change-rules.ts';
import { IncidentOutbox } from '../../controller/incidents/outbox.ts';
import { IncidentStore } from '../../controller/incidents/store.ts';
import type { Poster, PostRequest } from '../../controller/platform/outbound/poster-port.ts';
import type { RehearsedMessageWithCause } from '../../controller/rehearsal/alerting.ts';
import { manualEndFeed } from '../../controller/results/feeds/manual-end-feed.ts';
import { viewLive } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import { WorkClaims } from '../../controller/work/claimed-work.ts';
import { Peers } from '../../controller/work/peers.ts';
import { shardMap } from '../helpers/shard-map.ts';
import { shardState } from '../helpers/shard-states.ts';
import type { SimulatedController } from './simulated-controller.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedMongo } from './simulated-mongo.ts';
import type { ControllerStores } from './simulated-stores.ts';
import type { Line } from './wire.ts';
import type { World } from './world.ts';

export const TENANT = Object.freeze({ organizationId: 'organization', projectId: 'project' });
const PERSON = Object.freeze({ type: 'user', id: 'person', name: 'Person' } as const);

/** What a receiver got. */
export type SentMessage = Omit<RehearsedMessageWithCause, 'cause_id'> & { destination_id: string };

/** For an observer: every command takes effect at once. */
const AT_ONCE: Line = {
  read: async (respond) => respond(),
  write: async (parts, respond) => {
    for (const part of parts) part();
    return respond();
  },
};

/** The real path of alerts from the state machine to receivers, which only record what they would get. */
export class SimulatedAlerting {
  readonly destinations: DestinationDoc[];
  readonly sent: SentMessage[] = [];
  readonly incidents: IncidentStore;
  readonly #mongo = new SimulatedMongo();
  #parts: ReturnType<typeof openParts> | null = null;

  constructor(destinations: DestinationDoc[]) {
    this.destinations = destinations;
    this.incidents = new IncidentStore(this.#mongo.db(AT_ONCE));
  }

  /** Starts with a controller, and from then on gets its decisions. */
  attach(stores: ControllerStores, world: World, controller: SimulatedController): ControllerStores {
    const { process: clock, wire } = controller;
    if (!clock || !wire) throw new Error('the controller is not running');
    const parts = openParts({
      world, controller, clock, wire, mongo: this.#mongo.db(wire), all: this.destinations,
      post: async (request) => this.#receive(request, clock.now()),
    });
    this.#parts = parts;
    return { ...stores, incidents: parts.outbox, alerts: { fanOut: async (alert) => {
      await stores.alerts.fanOut(alert);
      await parts.gate.fanOut(alert);
    } } };
  }

  /** A person acknowledges or resolves an incident. The end of its cause takes effect while time passes. */
  async change(id: string, to: 'acknowledged' | 'resolved'): Promise<void> {
    const seen = await this.incidents.findById(id);
    if (!seen || !this.#parts) return;
    const { clock, manualEnds, decider } = this.#parts;
    const move = { to, note: undefined, actor: PERSON, assignee: PERSON, shardOf: shardMap.of };
    const { change, updates } = moveIncident(seen, move, Math.floor(clock.now()));
    const changed = await this.incidents.change(seen, change, updates);
    if (to === 'acknowledged' || changed === null) return;
    manualEnds.trigger();
    if (changed.cause_id !== undefined) void decider.endIfOver(changed.cause_id);
  }

  #receive({ url, body }: PostRequest, at: number) {
    const { event, subject, monitor, incident } = JSON.parse(String(body)) as {
      event: string; subject: string; monitor: { id: string }; incident: { id: string };
    };
    const isOutage = event === 'monitor.down';
    const kind = subject.startsWith('[STILL') ? 'reminder' : isOutage ? 'down' : 'up';
    const destination_id = new URL(url).pathname.slice(1);
    this.sent.push({ destination_id, at, kind, monitor_id: monitor.id, incident_id: incident.id });
    return { kind: 'responded' as const, status: 200, durationMs: 1, retryAfterMs: null };
  }
}

interface Surroundings {
  world: World;
  controller: SimulatedController;
  clock: Clock;
  wire: Line;
  mongo: Db;
  all: DestinationDoc[];
  post: Poster['post'];
}

function openParts({ world, controller, clock, wire, mongo, all, post }: Surroundings) {
  const [incidents, held] = [new IncidentStore(mongo), new HeldAlertStore(mongo)];
  const [deliveries, queues] = [new DeliveryStore(mongo), new QueueStore(mongo, shardMap)];
  const [threads, digests] = [new ThreadStore(mongo), new DigestClaimStore(mongo)];
  const [causes, decisions] = [new CauseStore(mongo), new DecisionStore(mongo)];
  const destinations = {
    named: async (_tenant: unknown, ids: string[]) => all.filter(({ _id }) => ids.includes(_id)),
    defaults: async () => all, ofOrganization: async () => all,
    findById: async (id: string) => all.find(({ _id }) => _id === id) ?? null,
    ensureSecret: async () => '',
  };
  const [log, peers, windows] = [createLog('simulation', 'silent'), new Peers(), { admit: async () => null }];
  peers.update(true);
  const random = () => world.random.next();
  const ownsShard = (shard: number) => controller.shards?.summaries.has(shard) ?? false;
  const monitors = featureCounts(world.db, wire);
  const causeReader = { find: (id: string) => causes.find(id), nameOf: async ({ value }: { value: string }) => value };
  const service: DeliveryService = new DeliveryService({
    attempt: {
      placement: new Placement({ deliveries, threads, causes, incidents, monitors, clock }),
      claims: new WorkClaims({ clock, holder: controller.name, ttlMs: CLAIM_MS }), health: queues,
      threads, causes: causeReader, deliveries, digests, destinations, incidents, queues, windows, clock, random,
      suppressions: { isStopped: async () => false }, onFailing: () => undefined,
      sending: {
        poster: { post },
        mailer: { send: () => Promise.reject(new Error('no destination of a simulation is an address')) },
        destinations, clock, baseUrl: () => '', recipientTokens: { link: () => '' }, acknowledgeTokens: { link: () => '' },
      },
    },
    deliveries, queues, ownsShard, shardMap, clock, log, peers, notifyOwner: () => undefined,
  });
  const notify = service.wakeOwners;
  const decider = new CauseDecider({
    causes, decisions, incidents, monitors,
    onEnded: (cause) => fanOutEnd({ threads, deliveries, destinations, queues, notify, clock }, cause),
  });
  const alerts = new FanOut({
    destinations, deliveries, incidents, causes: causeReader, queues, windows, clock, notify,
    groupingOf: async () => ({ tags: [], groupIds: [] }), underDiagnosis: new Map(),
    regions: { named: (ids) => ids.map((id) => ({ id, name: id, city: null })) },
  });
  const heldAlerts: HeldAlerts = new HeldAlerts({
    held, alerts, ownsShard, shardMap, peers, clock, log,
    incidents: {
      findById: (id) => incidents.findById(id),
      setHeldBy: async (id, heldBy) => void await incidents.setHeldBy(id, heldBy),
    },
    monitors: async (ids) => relatedMonitors(world.db, ids),
    states: async (ids) => {
      const found = await Promise.all(ids.map(async (id) => {
        const shard = await shardState(controller.shards, shardMap.of(id));
        const state = shard?.monitors.get(id)?.state;
        return state ? [[id, viewLive(state, clock.now())] as const] : [];
      }));
      return new Map(found.flat());
    },
    check: async (id) => {
      await sleep(clock, world.random.int(100, 1000));
      return checkNow(world, id);
    },
    recheck: () => undefined,
  });
  const nothing = async () => undefined;
  const outbox = new IncidentOutbox({
    incidents, updates: { insertIfAbsent: nothing }, votes: { insertIfAbsent: nothing },
    causes: {
      decide: (organizationId, startedAt) => decider.decide(organizationId, startedAt),
      endIfOver: (causeId) => decider.endIfOver(causeId),
    },
  }, clock);
  const shards: Parameters<typeof manualEndFeed>[0]['shards'] = {
    get: (shard) => controller.shards?.get(shard),
    get loaded() { return controller.shards?.loaded ?? []; },
  };
  const manualEnds = manualEndFeed({ clock, log, peers, shards, source: {
    unjournaledEnds: (owned, limit) => incidents.unjournaledEnds(owned, limit),
    clearUnjournaled: (ids) => outbox.clearUnjournaled(ids),
  } });
  for (const task of [service, heldAlerts, manualEnds]) task.start();
  const onHeld = () => heldAlerts.trigger();
  return { clock, outbox, decider, manualEnds, gate: new DependencyGate({ alerts, held, onHeld, shardMap, clock }) };
}

export function relatedMonitors({ monitors }: SimulatedDatabase, ids: string[]) {
  return ids.flatMap((id) => {
    const { name, status, depends_on = [] } = monitors.get(id)?.config ?? { name: '', status: 'deleted' };
    return status === 'deleted' ? [] : [{ _id: id, name, status, depends_on }];
  });
}

/** How many monitors have each feature, and how many have any. */
export function featureCounts({ features }: SimulatedDatabase, line: Pick<Line, 'read'>) {
  const having = (feature: string) => [...features.values()].filter((one) => one.features.some((own) => own === feature));
  return {
    counts: (_organizationId: string, wanted: readonly string[]) => line.read(() => (
      new Map(wanted.map((feature) => [feature, having(feature).length]))
    )),
    total: () => line.read(() => [...features.values()].filter((one) => one.features.length > 0).length),
  };
}

/** What probes in all regions find now. */
function checkNow({ db, probes, network, targets, clock }: World, id: string): boolean {
  const config = db.monitors.get(id)?.config;
  if (config?.status !== 'active' || config.heartbeat) return false;
  const outcome = targets.isWorking(id, clock.now()) ? 'success' : 'failure';
  const { monitoring_regions: regions } = config;
  return couldBeDown(config, probes.filter(({ region }) => regions.includes(region)).map((probe) => {
    const isGone = probe.process.isDead || network.cutOff.has(probe.probeId);
    return { region: probe.region, result: isGone ? null : { outcome } };
  }));
}
