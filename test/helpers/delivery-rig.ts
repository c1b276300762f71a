import type { Document } from 'mongodb';
import type { CauseDoc } from '../../controller/causes/cause.ts';
import { CauseDecider } from '../../controller/causes/decider.ts';
import { DecisionStore } from '../../controller/causes/decision-store.ts';
import { CauseStore } from '../../controller/causes/store.ts';
import { fanOutEnd } from '../../controller/delivery/causes/fan-out-end.ts';
import { Placement } from '../../controller/delivery/causes/placement.ts';
import { ThreadStore } from '../../controller/delivery/causes/thread-store.ts';
import { FeatureStore } from '../../controller/results/writing/feature-store.ts';
import { SuppressionStore } from '../../controller/alert-mail/store.ts';
import { CLAIM_MS } from '../../controller/delivery/attempt-steps.ts';
import { DigestClaimStore } from '../../controller/delivery/digests/claim-store.ts';
import { MailWindowStore } from '../../controller/delivery/digests/window-store.ts';
import { FanOut } from '../../controller/delivery/fan-out.ts';
import type { DestinationReader } from '../../controller/delivery/ports.ts';
import { QueueStore } from '../../controller/delivery/queue-store.ts';
import { DeliveryService, type DeliveryServiceDeps } from '../../controller/delivery/service.ts';
import type { SendDeps } from '../../controller/delivery/senders/send-alert.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import type { DestinationSettings } from '../../controller/destinations/channels/registry.ts';
import type { DestinationDoc, DestinationFields } from '../../controller/destinations/destination.ts';
import { ALERT_EVENTS } from '../../controller/destinations/destination.ts';
import { DestinationStore } from '../../controller/destinations/store.ts';
import { IncidentOutbox } from '../../controller/incidents/outbox.ts';
import { IncidentStore } from '../../controller/incidents/store.ts';
import { IncidentUpdateStore, VoteStore } from '../../controller/incidents/history-store.ts';
import type { Mailer } from '../../controller/platform/mail/mailer-port.ts';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import type { Poster } from '../../controller/platform/outbound/poster-port.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { createResolver } from '../../controller/platform/outbound/resolver.ts';
import type { Alert } from '../../controller/verdicts/effect.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { WorkClaims } from '../../controller/work/claimed-work.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { testMongo, type TestMongo } from './mongo.ts';
import { WarpClock } from './warp-clock.ts';
import { checkedMongo } from './checked-mongo.ts';
import { shardMap } from './shard-map.ts';

export const TENANT = { organizationId: 'org-1', projectId: 'project-1' };
const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent');

export interface DeliveringController {
  service: DeliveryService;
  alerts: FanOut;
}

export interface ControllerChange {
  deliveries?: DeliveryStore;
  destinations?: DestinationReader;
  ownsShard?(shard: number): boolean;
  /** By default, the name belongs to no other controller. */
  holder?: string;
  clock?: Clock;
  /** By default, sending mail fails the test. */
  mailer?: Pick<Mailer, 'send'>;
  /** By default, links lead nowhere. */
  baseUrl?: string;
  recipientTokens?: SendDeps['recipientTokens'];
  /** By default, no monitor has tags or a group. */
  groupingOf?(monitorId: string): Promise<{ tags: string[]; groupIds: string[] }>;
  /** By default, one that allows private addresses. */
  poster?: Poster;
}

export const BASE_URL = 'https://farwatch.example';
const RECIPIENT_TOKENS: SendDeps['recipientTokens'] = {
  link: (baseUrl, { address }) => `${baseUrl}/stop-alerts?token=${address}`,
};
const ACKNOWLEDGE_TOKENS: SendDeps['acknowledgeTokens'] = {
  link: (baseUrl, { incidentId }) => `${baseUrl}/acknowledge?token=${incidentId}`,
};

const NO_MAILER: Pick<Mailer, 'send'> = {
  send: () => Promise.reject(new Error('this test expects no mail')),
};

/** The delivery of one or more controllers on a real store, with real sockets and a clock that can jump. */
export class DeliveryRig {
  readonly clock = new WarpClock();
  readonly store: TestMongo;
  readonly mongo: Mongo;
  readonly destinations: DestinationStore;
  readonly deliveries: DeliveryStore;
  readonly queues: QueueStore;
  readonly suppressions: SuppressionStore;
  readonly windows: MailWindowStore;
  readonly digests: DigestClaimStore;
  readonly incidents: IncidentStore;
  readonly causes: CauseStore;
  readonly threads: ThreadStore;
  readonly features: FeatureStore;
  readonly outbox: IncidentOutbox;
  readonly poster: HttpPoster;
  /** Ids of monitors whose outages wait for a diagnosis. */
  readonly underDiagnosis = new Map<string, number>();
  /** Receives each command to the database. */
  onCommand: (command: Document) => void = () => undefined;
  readonly #controllers: DeliveringController[] = [];

  constructor(store: TestMongo) {
    this.store = store;
    this.mongo = checkedMongo(store.url, (command) => this.onCommand(command));
    const { db } = this.mongo;
    this.destinations = new DestinationStore(db);
    this.deliveries = new DeliveryStore(db);
    this.queues = new QueueStore(db, shardMap);
    this.suppressions = new SuppressionStore(db);
    this.windows = new MailWindowStore(db);
    this.digests = new DigestClaimStore(db);
    this.incidents = new IncidentStore(db);
    this.causes = new CauseStore(db);
    this.threads = new ThreadStore(db);
    this.features = new FeatureStore(db);
    const updates = new IncidentUpdateStore(db);
    const votes = new VoteStore(db);
    const causes = new CauseDecider({
      causes: this.causes, decisions: new DecisionStore(db), incidents: this.incidents, monitors: this.features,
      onEnded: (cause) => this.#fanOutEnd(cause),
    });
    this.outbox = new IncidentOutbox({ incidents: this.incidents, updates, votes, causes }, this.clock);
    const vetting =
      createAddressVetting({ resolve: createResolver(systemClock), allowPrivate: true, clock: systemClock });
    this.poster = new HttpPoster({ clock: systemClock, vetting });
  }

  async #fanOutEnd(cause: CauseDoc): Promise<void> {
    const { threads, deliveries, destinations, queues, clock } = this;
    const notify = (ids: string[]) => this.#controllers.forEach(({ service }) => service.wake(ids));
    await fanOutEnd({ threads, deliveries, destinations, queues, notify, clock }, cause);
  }

  static async start(): Promise<DeliveryRig> {
    const rig = new DeliveryRig(await testMongo());
    await Promise.all(
      [rig.destinations, rig.deliveries, rig.queues, rig.incidents, rig.causes, rig.threads, rig.features]
        .map((store) => store.ensureIndexes()),
    );
    return rig;
  }

  /** Starts the delivery of another controller. */
  controller(change: ControllerChange = {}): DeliveringController {
    const { queues } = this;
    const { deliveries = this.deliveries, destinations = this.destinations, ownsShard = () => true } = change;
    const { clock = this.clock } = change;
    const stores = this.stores(change);
    const service = new DeliveryService({
      ...stores,
      ownsShard, shardMap, clock, log, notifyOwner: () => undefined,
    });
    const alerts = new FanOut({
      destinations, deliveries, queues, windows: this.windows, clock,
      incidents: this.incidents, causes: this.causes,
      groupingOf: change.groupingOf ?? (async () => null),
      regions: { named: (ids) => ids.map((id) => ({ id, name: `Region ${id}`, city: null })) },
      notify: service.wakeOwners, underDiagnosis: this.underDiagnosis,
    });
    const controller = { service, alerts };
    this.#controllers.push(controller);
    service.start();
    return controller;
  }

  /** The senders' dependencies. */
  stores(change: ControllerChange = {}): Pick<DeliveryServiceDeps, 'attempt' | 'deliveries' | 'queues'> {
    const { queues, incidents, suppressions, digests, causes, threads, features: monitors } = this;
    const { deliveries = this.deliveries, destinations = this.destinations, mailer = NO_MAILER } = change;
    const { poster = this.poster, clock = this.clock } = change;
    const { baseUrl = BASE_URL, recipientTokens = RECIPIENT_TOKENS } = change;
    const holder = change.holder ?? newId(clock.now());
    const sending = {
      poster, mailer, destinations, clock, baseUrl: () => baseUrl, recipientTokens,
      acknowledgeTokens: ACKNOWLEDGE_TOKENS,
    };
    return {
      attempt: {
        placement: new Placement({ deliveries, threads, causes, incidents, monitors, clock }), threads,
        causes: { find: (id) => causes.find(id), nameOf: async ({ value }) => value },
        deliveries, digests, claims: new WorkClaims({ clock, holder, ttlMs: CLAIM_MS }), health: queues,
        queues, windows: this.windows, destinations, incidents, suppressions, clock, random: Math.random,
        sending, onFailing: () => undefined,
      },
      deliveries, queues,
    };
  }

  /** `config` is a webhook's URL, or the settings of any type. */
  async destination(
    to: string | DestinationSettings, change: Partial<DestinationFields> = {},
  ): Promise<DestinationDoc> {
    const settings: DestinationSettings =
      typeof to === 'string' ? { type: 'webhook', config: { url: to, method: 'POST', headers: [] } } : to;
    const now = this.clock.now();
    const doc: DestinationDoc = {
      _id: newId(now), organization_id: TENANT.organizationId, project_id: TENANT.projectId, created_by: 'u',
      name: 'hook',
      enabled: true, is_default: true, events: [...ALERT_EVENTS], ...settings, secret: null, revision: 1,
      created_at: now, updated_at: now, ...change,
    };
    await this.destinations.insert(doc);
    return doc;
  }

  /** The log entries of an incident, newest first. */
  async log(incidentId: string) {
    return (await this.deliveries.ofIncident(TENANT, incidentId, { page: 1, pageSize: 100 })).deliveries;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#controllers.map(({ service }) => service.stop(2000)));
    await this.poster.close();
    await this.mongo.close();
    await this.store.stop();
  }
}

export function monitorConfig(change: Partial<MonitorConfig> = {}): MonitorConfig {
  return {
    monitor_id: newId(
      Date.now(),
    ), organization_id: TENANT.organizationId, project_id: TENANT.projectId, revision: 1, check_revision: 1, name: 'Shop', target: 'https://shop.example/',
    type: 'HTTP', status: 'active', interval_ms: 60_000, timeout_ms: 10_000, retries: 1, quorum: 'majority',
    tls_warning_days: [], tls_validity: false, domain_warning_days: [], domain_expires_at: null,
    slow_response_threshold_ms: null,
    notification_target_ids: [], monitoring_regions: [], changed_at: 1, ...change,
  };
}

/** A confirmed outage of a monitor, or its resolution if `resolvedAt` is given. */
export function alertOf(
  monitor: MonitorConfig, incidentId: string, times: { startedAt: number; resolvedAt?: number },
): Alert {
  const { startedAt, resolvedAt = null } = times;
  return {
    id: newId(startedAt), event: resolvedAt === null ? 'monitor.down' : 'monitor.up', monitor,
    incident: { id: incidentId, started_at: startedAt, resolved_at: resolvedAt },
    error: resolvedAt === null ? { type: 'status_code', message: 'Status 503' } : null, regions: ['eu', 'us'],
    last_success: null, at: resolvedAt ?? startedAt,
  };
}
