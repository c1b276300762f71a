import { newSecret, type ShardMap } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { probeOfSubject, shardOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { BatchResponse, CheckResult } from '../../shared/contracts/result.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { MonitorState } from '../verdicts/monitor-state.ts';
import type { Peers } from '../work/peers.ts';
import type { PeriodicTask } from '../work/periodic-task.ts';
import type { ClockDecision } from './journal/journal-store.ts';
import { Shards } from './shards/shards.ts';
import { BusContact } from './shards/bus-contact.ts';
import { Leases, type LeaseDeps } from './shards/leases.ts';
import { changeFeed, type ChangeFeedDeps } from './feeds/change-feed.ts';
import { ShardQueries } from './shards/shard-queries.ts';
import { manualEndFeed, type ManualEndSource } from './feeds/manual-end-feed.ts';
import { pingFeed, type PingSource } from './feeds/ping-feed.ts';
import type { FreshResult } from './state/entry-step.ts';
import { ResultReaders, type ReaderStores } from './readers.ts';
import type { ShardStores } from './shards/shard-parts.ts';
import type { TakeLimits } from './intake/take-limits.ts';
import type { DeadLetterStore } from './dead-letters/dead-letter-store.ts';

type WitnessVote = Omit<ClockDecision & { kind: 'witness' }, 'kind'>;

/** The name of a feed is also the payload of a notification that it has something new. */
type Feed = 'changes' | 'pings' | 'manualEnds';
/** Payload of a notification that reports lost input. */
const LOST = 'lost';
/** Payload of a notification from a controller that waits for its share of the shards. */
const JOINED = 'joined';

/** Organizations and projects whose raw results somebody reads. */
interface RawReaders {
  organizations: ReadonlySet<string>;
  projects: { has(organizationId: string, projectId: string): boolean };
}

export interface ResultsDeps<M> {
  clock: Clock;
  log: Log;
  random: () => number;
  bus: Bus;
  /** Stable across restarts of this controller. */
  holder: string;
  peers: Peers;
  shardMap: ShardMap;
  stores: ShardStores & ReaderStores & {
    deadLetters: Pick<DeadLetterStore, 'add'>;
    leases: LeaseDeps['store'];
  };
  limits: TakeLimits;
  monitors: Pick<ChangeFeedDeps<M>, 'findMarked' | 'place' | 'clear'>;
  pings: PingSource;
  manualEnds: ManualEndSource;
  rawReaders: RawReaders;
  /** Receives each failure that is recorded here, with its monitor's state afterwards. */
  confirmations: { onResult(state: MonitorState, region: string, result: CheckResult): void };
  /** Has probes examine the target of a monitor whose region has just turned down. */
  diagnoser: { onResult(state: MonitorState, region: string, result: CheckResult): void };
  /** Asks other regions if too few report the monitor as down. */
  witnesses: { request(state: MonitorState, onVote: (vote: WitnessVote) => void): void };
  /**
   * Called when a local shard may have queued input: the shard is new here, or another controller notified
   * us.
   */
  onNotified(): void;
}

/** Connects this controller's shards to the bus, leases, feeds and readers of results. */
export class ResultsService<M> {
  readonly shards: Shards;
  readonly readers: ResultReaders;
  readonly #deps: ResultsDeps<M>;
  readonly #leases: Leases;
  readonly #queries: ShardQueries;
  readonly #feeds: Record<Feed, PeriodicTask>;
  readonly #subscriptions = new Map<number, BusSubscription[]>();

  constructor(deps: ResultsDeps<M>) {
    const { clock, log, random, bus, stores, limits, shardMap } = deps;
    this.#deps = deps;
    this.shards = new Shards({
      clock, log, random, stores, limits, instance: `${deps.holder}:${newSecret().slice(0, 16)}`,
      holdsLease: (shard) => this.#leases.holds(shard),
      surrender: (shard) => {
        this.#leases.surrender(shard).catch(
          (error: unknown) => log.warn({ err: error, shard }, 'could not release a lease'),
        );
      },
      onStarted: (shard) => {
        this.#listen(shard);
        this.pollFeeds();
        deps.onNotified();
      },
      onEnded: (shard) => this.#unsubscribe(shard),
      listeners: {
        onApplied: [
          (_state, { fresh }, replayed) => {
            if (!replayed) publishRaw(bus, deps.rawReaders, fresh);
          },
          ({ monitors }, { fresh }, replayed) => {
            if (replayed) return;
            for (const { region, result } of fresh) {
              const monitor = result.outcome === 'failure' ? monitors.get(result.monitor_id) : undefined;
              if (!monitor) continue;
              deps.confirmations.onResult(monitor.state, region, result);
              deps.diagnoser.onResult(monitor.state, region, result);
              deps.witnesses.request(monitor.state, (vote) => this.#recordWitness(vote));
            }
          },
        ],
        onConfigs: () => this.pollFeeds(),
      },
    });
    const contact = new BusContact(bus, clock);
    this.#leases = new Leases({
      isCutOff: () => contact.isLost(),
      clock, log, store: stores.leases, holder: deps.holder, shardCount: shardMap.count,
      acquired: (shard) => this.shards.acquire(shard),
      released: (shard) => this.shards.release(shard),
      peers: deps.peers,
      requestShards: (shards) => {
        for (const shard of shards) bus.publish(subjects.notify(shard), JOINED);
      },
    });
    this.#queries = new ShardQueries({
      shardMap, shards: this.shards, leases: this.#leases, bus, clock, log,
    });
    this.readers = new ResultReaders({ clock, stores, queries: this.#queries });
    const feedDeps = { clock, log, shards: this.shards, peers: deps.peers };
    this.#feeds = {
      changes: changeFeed({ ...feedDeps, ...deps.monitors }),
      pings: pingFeed({ ...feedDeps, source: deps.pings }),
      manualEnds: manualEndFeed({ ...feedDeps, source: deps.manualEnds }),
    };
  }

  start(): void {
    this.shards.start();
    this.#leases.start();
    for (const feed of Object.values(this.#feeds)) feed.start();
  }

  /**
   * True if all shards of this controller are loaded and it has had its share of them. Before that, requests
   * would have to wait for the shards that it is about to take over.
   */
  get isReady(): boolean {
    return this.#leases.hasHadShare && [...this.#leases.held].every((shard) => this.ownsShard(shard));
  }

  /** True if the shard is loaded here and takes results. */
  ownsShard(shard: number): boolean {
    return this.shards.get(shard) !== undefined;
  }

  /** Makes the owners of these monitors' shards poll that feed now. */
  notifyOwners(feed: Feed, monitorIds: Iterable<string>): void {
    const { bus, shardMap } = this.#deps;
    for (const shard of new Set([...monitorIds].map(shardMap.of))) {
      if (this.ownsShard(shard)) this.#feeds[feed].trigger();
      else bus.publish(subjects.notify(shard), feed);
    }
  }

  /** Notifies the owner of a monitor that input was lost, so that silence up to now does not count. */
  interrupted(monitorId: string): void {
    const shard = this.#deps.shardMap.of(monitorId);
    if (this.ownsShard(shard)) this.shards.interrupted(shard);
    else this.#deps.bus.publish(subjects.notify(shard), LOST);
  }

  /** Writes what was taken, then releases the shards. */
  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#feeds).map((feed) => feed.stop()));
    await this.shards.stop();
    await this.#leases.stop();
  }

  #listen(shard: number): void {
    const { bus } = this.#deps;
    this.#subscriptions.set(shard, [
      bus.subscribe(subjects.resultsOfShard(shard), (message) => this.#take(shard, message)),
      bus.subscribe(
        subjects.queryOfShard(shard), (message) => void this.#respond(message).catch(() => undefined),
      ),
      bus.subscribe(subjects.notify(shard), (message) => this.#onNotification(shard, message)),
    ]);
  }

  /** Polls now for changed monitors, new pings and manual incident changes. */
  pollFeeds(): void {
    for (const feed of Object.values(this.#feeds)) feed.trigger();
  }

  /** Records a witness vote. It is lost if the shard has moved meanwhile. */
  #recordWitness(vote: WitnessVote): void {
    const shard = this.#deps.shardMap.of(vote.monitor_id);
    this.shards.get(shard)?.send({ kind: 'witness', decision: { kind: 'witness', ...vote } });
  }

  #onNotification(shard: number, message: BusMessage): void {
    const content = Buffer.from(message.data).toString('utf8');
    if (content === JOINED) return this.#leases.controllerJoined();
    if (content === LOST) this.shards.interrupted(shard);
    if (Object.hasOwn(this.#feeds, content)) this.#feeds[content as Feed].trigger();
    else this.pollFeeds();
    this.#deps.onNotified();
  }

  #unsubscribe(shard: number): void {
    for (const subscription of this.#subscriptions.get(shard) ?? []) void subscription.stop();
    this.#subscriptions.delete(shard);
  }

  #take(shard: number, message: BusMessage): void {
    const address = probeOfSubject(message.subject);
    if (!address) return this.shards.unknownRegions.add(message.subject);
    this.shards.take(shard, {
      region: address.region,
      probe_id: address.probeId,
      bytes: message.data,
      acknowledge: (watermark) => {
        message.respond(JSON.stringify({ v: 1, watermark } satisfies BatchResponse));
      },
    });
  }

  async #respond(message: BusMessage): Promise<void> {
    const shard = shardOfSubject(message.subject);
    const queryName = message.subject.split('.')[2];
    if (shard === null || queryName === undefined) return;
    const response = await this.#queries.respond(shard, queryName, message.data, this.readers.served);
    if (response !== null) message.respond(response);
  }
}

/** Publishes journaled results to readers of raw results. The stream RAW keeps the last hour. */
function publishRaw(bus: Bus, { organizations, projects }: RawReaders, fresh: FreshResult[]): void {
  if (!bus.isConnected) return;
  for (const source of fresh) {
    const { config, region } = source;
    const { organization_id: organizationId, project_id: projectId, monitor_id: monitorId } = config;
    if (!organizations.has(organizationId) && !projects.has(organizationId, projectId)) continue;
    const subject = subjects.raw(organizationId, projectId, monitorId, region);
    bus.publish(subject, JSON.stringify(rawResult(source)));
  }
}

/** The probe's result with the fields of its subject. Never contains request headers or bodies. */
function rawResult(
  { config, region, probe_id, epoch, engine, late, received_at, result }: FreshResult,
): Record<string, unknown> {
  const { seq, monitor_id, missed, detail, ...rest } = result;
  return {
    v: 1, probe_id, epoch, seq, monitor_id, organization_id: config.organization_id,
    project_id: config.project_id, region, type: config.type, engine, late, received_at,
    ...rest, ...(missed ? { missed } : {}), detail: detail ?? {},
  };
}
