import type { Company } from '../../shared/company.ts';
import { newSecret, SHARD_COUNT, shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import { probeOfSubject, shardOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { BatchReply, CheckResult } from '../../shared/contracts/result.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { MonitorState } from '../verdicts/monitor-state.ts';
import type { ClockDecision } from './journal/journal-entry.ts';
import { Shards } from './shards/shards.ts';
import { Agreements, agreementsQuestion } from './reading/agreements.ts';
import { BusContact } from './shards/bus-contact.ts';
import { LatestChecks } from './reading/latest-checks.ts';
import { Leases, type LeaseDeps } from './shards/leases.ts';
import { changeFeed, type ChangeFeedDeps } from './feeds/change-feed.ts';
import { CertificateReader, certificateQuestion, type CertificateReaderDeps } from './reading/certificates.ts';
import { MonitorHistory, type HistoryDeps } from './reading/monitor-history.ts';
import { openRows, openRowsQuestion } from './reading/open-rows.ts';
import { OpenReader } from './reading/open-reader.ts';
import { PastDays } from './reading/past-days.ts';
import { RecentHours } from './reading/recent-hours.ts';
import { ShardQuestions } from './shards/shard-questions.ts';
import { manualEndFeed, type ManualEndSource } from './feeds/manual-end-feed.ts';
import { pingFeed, type PingSource } from './feeds/ping-feed.ts';
import { publishRaw, type IsRead } from './raw-results.ts';
import type { ShardStores } from './shards/shard.ts';
import type { TakeLimits } from './intake/take-limits.ts';
import { HealthReader, healthQuestion } from './reading/project-health.ts';
import { Statistics, type RollupReader } from './reading/statistics.ts';
import type { DeadLetterStore } from './dead-letters/dead-letter-store.ts';

/** Content of a poke that reports lost input. */
const LOST = 'lost';
/** Content of a poke by a controller that waits for its share of the shards. */
const JOINED = 'joined';

export interface ResultsDeps<M> {
  clock: Clock;
  log: Log;
  bus: Bus;
  /** The same after every restart of this controller. */
  holder: string;
  company: Company;
  stores: ShardStores & {
    deadLetters: Pick<DeadLetterStore, 'add'>;
    leases: LeaseDeps['store'];
    rollups: RollupReader;
    certificates: CertificateReaderDeps['certificates'];
    changes: HistoryDeps['changes'];
  };
  limits: TakeLimits;
  monitors: Pick<ChangeFeedDeps<M>, 'findMarked' | 'place' | 'clear'>;
  pings: PingSource;
  manualEnds: ManualEndSource;
  isRead: IsRead;
  /** Called with each failure that is taken here, and the state of its monitor after it. */
  onFailure(state: MonitorState, region: string, result: CheckResult): void;
  /** Something may be queued for one of our shards: it is new here, or another controller says so. */
  onPoke(): void;
}

/** Connects the shards of this controller to the bus, to leases and feeds, and to the readers of results. */
export class ResultsService<M> {
  readonly shards: Shards;
  readonly open: OpenReader;
  readonly statistics: Statistics;
  readonly pastDays: PastDays;
  /** What overviews of many monitors show. */
  readonly overview: { days: PastDays; hours: RecentHours };
  readonly history: MonitorHistory;
  readonly certificates: CertificateReader;
  readonly health: HealthReader;
  readonly agreements: Agreements;
  readonly #deps: ResultsDeps<M>;
  readonly #latest = new LatestChecks();
  readonly #leases: Leases;
  readonly #questions: ShardQuestions;
  readonly #changes: Rounds;
  readonly #pings: Rounds;
  readonly #manualEnds: Rounds;
  readonly #listening = new Map<number, BusSubscription[]>();

  constructor(deps: ResultsDeps<M>) {
    const { clock, log, bus, stores, limits } = deps;
    this.#deps = deps;
    this.shards = new Shards({
      clock, log, stores, limits, instance: `${deps.holder}:${newSecret().slice(0, 16)}`,
      holdsLease: (shard) => this.#leases.holds(shard),
      surrender: (shard) => {
        this.#leases.surrender(shard).catch(
          (error: unknown) => log.warn({ err: error, shard }, 'could not release a lease'),
        );
      },
      onStarted: (shard) => {
        this.#listen(shard);
        this.look();
        deps.onPoke();
      },
      onEnded: (shard) => this.#unlisten(shard),
      listeners: {
        onApplied: [
          (state, { fresh }) => this.#latest.note(state, fresh),
          (_state, { fresh }, replayed) => {
            if (!replayed) publishRaw(bus, deps.isRead, fresh);
          },
          ({ monitors }, { fresh }, replayed) => {
            if (replayed) return;
            for (const { region, result } of fresh) {
              const monitor = result.outcome === 'failure' ? monitors.get(result.monitor_id) : undefined;
              if (monitor) deps.onFailure(monitor.state, region, result);
            }
          },
        ],
        onConfigs: () => this.look(),
      },
    });
    this.#questions = new ShardQuestions({
      shards: this.shards, isCurrent: () => this.#leases.areCurrent, bus, clock, log,
    });
    this.open = new OpenReader({ clock, owners: this.#questions, stored: (ids) => stores.states.find(ids) });
    const reading = {
      clock, rollups: stores.rollups, open: this.open,
      openRows: (monitorId: string, hour: number, after: number) =>
        openRows(this.#questions, monitorId, hour, after),
    };
    this.statistics = new Statistics({
      latest: async (projectId) => {
        const asked = { project_id: projectId };
        const answers = await Promise.all(Array.from({ length: SHARD_COUNT }, (_, shard) =>
          this.#questions.ask(shard, this.#latest.question, asked)));
        return answers.flat();
      },
      ...reading,
    });
    this.pastDays = new PastDays(stores.rollups, clock, 'drop the oldest');
    this.overview = {
      days: new PastDays(stores.rollups, clock, 'keep what is good'), hours: new RecentHours(reading),
    };
    this.health = new HealthReader(this.#questions, clock);
    this.agreements = new Agreements(this.#questions);
    this.history = new MonitorHistory({
      clock, owners: this.#questions, rollups: stores.rollups, changes: stores.changes,
    });
    this.certificates = new CertificateReader({
      owners: this.#questions, stored: (ids) => stores.states.find(ids), certificates: stores.certificates,
    });
    const contact = new BusContact(bus, clock);
    this.#leases = new Leases({
      isCutOff: () => contact.isLost(),
      clock, log, store: stores.leases, holder: deps.holder,
      acquired: (shard) => this.shards.acquire(shard),
      released: (shard) => this.shards.release(shard),
      company: deps.company,
      ask: (shards) => {
        for (const shard of shards) bus.publish(subjects.poke(shard), JOINED);
      },
    });
    const feeding = { clock, log, shards: this.shards, company: deps.company };
    this.#changes = changeFeed({ ...feeding, ...deps.monitors });
    this.#pings = pingFeed({ ...feeding, source: deps.pings });
    this.#manualEnds = manualEndFeed({ ...feeding, source: deps.manualEnds });
  }

  start(): void {
    this.shards.start();
    this.#leases.start();
    this.#changes.start();
    this.#pings.start();
    this.#manualEnds.start();
  }

  /**
   * True when every shard that this controller has is loaded, once it has had its share of them: before that,
   * others would have to wait for what it is about to take over.
   */
  get isReady(): boolean {
    return this.#leases.hasHadShare && [...this.#leases.held].every((shard) => this.ownsShard(shard));
  }

  /** True when a shard is loaded here and takes results. */
  ownsShard(shard: number): boolean {
    return this.shards.get(shard) !== undefined;
  }

  /** Has whoever owns a shard look for changes now. */
  poke(shard: number): void {
    if (this.ownsShard(shard)) this.look();
    else this.#deps.bus.publish(subjects.poke(shard), '');
  }

  /** Tells whoever owns a shard that input was lost, so that silence up to now does not count. */
  interrupted(shard: number): void {
    if (this.ownsShard(shard)) this.shards.interrupted(shard);
    else this.#deps.bus.publish(subjects.poke(shard), LOST);
  }

  /** A region that does not have a monitor was asked about it; lost if its shard is elsewhere by now. */
  heard(word: Omit<ClockDecision & { kind: 'witness' }, 'kind'>): void {
    this.shards.get(shardOf(word.monitor_id))?.send({ kind: 'witness', word: { kind: 'witness', ...word } });
  }

  /** Writes what was taken, then releases the shards. */
  async stop(): Promise<void> {
    await Promise.all([this.#changes, this.#pings, this.#manualEnds].map((feed) => feed.stop()));
    await this.shards.stop();
    await this.#leases.stop();
  }

  #listen(shard: number): void {
    const { bus } = this.#deps;
    this.#listening.set(shard, [
      bus.subscribe(subjects.resultsOfShard(shard), (message) => this.#take(shard, message)),
      bus.subscribe(
        subjects.askOfShard(shard), (message) => void this.#answer(message).catch(() => undefined),
      ),
      bus.subscribe(subjects.poke(shard), (message) => this.#poked(shard, message)),
    ]);
  }

  /** Polls now for changed monitors, new pings and incidents that people have ended. */
  look(): void {
    this.#changes.look();
    this.#pings.look();
    this.#manualEnds.look();
  }

  #poked(shard: number, message: BusMessage): void {
    const told = Buffer.from(message.data).toString('utf8');
    if (told === JOINED) return this.#leases.asked();
    if (told === LOST) this.shards.interrupted(shard);
    this.look();
    this.#deps.onPoke();
  }

  #unlisten(shard: number): void {
    for (const subscription of this.#listening.get(shard) ?? []) void subscription.stop();
    this.#listening.delete(shard);
  }

  #take(shard: number, message: BusMessage): void {
    const address = probeOfSubject(message.subject);
    if (!address) return this.shards.strays.add(message.subject);
    this.shards.take(shard, {
      region: address.region, probe_id: address.probeId, bytes: message.data,
      answer: (watermark) => message.reply(JSON.stringify({ v: 1, watermark } satisfies BatchReply)),
    });
  }

  async #answer(message: BusMessage): Promise<void> {
    const shard = shardOfSubject(message.subject);
    const what = message.subject.split('.')[2];
    if (shard === null || what === undefined) return;
    const questions = [
      this.open.question, this.#latest.question, openRowsQuestion, healthQuestion, certificateQuestion,
      agreementsQuestion,
    ];
    const answer = await this.#questions.answer(shard, what, message.data, questions);
    if (answer !== null) message.reply(answer);
  }
}
