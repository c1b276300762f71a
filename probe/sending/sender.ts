import type { ActorContext, Behaviour } from '../../shared/actor/actor-ref.ts';
import { superviseOne, type OnlyActor } from '../supervise-one.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { ProbeBus } from '../ports.ts';
import type { PackedBatch } from '../spool/batches.ts';
import { LaneSender, type LaneSource } from './lane-sender.ts';

/** The spool as the sender sees it. */
export interface SpoolSource<Lane extends LaneSource> {
  /** Lanes that may be sent now, older epochs first. */
  sendable(): Lane[];
  isFresh(lane: Lane): boolean;
  openEpoch(): void;
  read(lane: Lane, seq: number): Promise<PackedBatch | null>;
  trim(lane: Lane, watermark: number): void;
}

export interface SenderOptions<Lane extends LaneSource> {
  bus: ProbeBus;
  spool: SpoolSource<Lane>;
  clock: Clock;
  log: Log;
  random: () => number;
  region: string;
  probeId: string;
}

/** Maximum in flight per lane: of the newest epoch, and of older ones, which yield to it. */
const FRESH_BATCHES = 16;
const OLD_BATCHES = 4;
const LANE_BYTES = 512 * 1024;
/** Maximum in flight in all lanes; older epochs may use half of it. */
const TOTAL_BYTES = 8 * 1024 * 1024;
/**
 * A lane idle this long with this much backlog sends new results under a new epoch, so they need not wait.
 */
const OUTAGE_MS = 30_000;
const OUTAGE_RESULTS = 1000;
const MAX_OLD_EPOCHS = 8;

interface LaneState<Lane extends LaneSource> {
  sender: LaneSender<Lane>;
  lastResponseMs: number;
}

/** Enough for one message of each kind. */
const MAILBOX_MESSAGES = 8;
const MIN_RESTART_DELAY_MS = 250;
const MAX_RESTART_DELAY_MS = 15_000;

type SenderMessage =
  /** There may be something to send, or capacity to send it. */
  | { kind: 'pump' }
  /** The controller is reachable again. */
  | { kind: 'restart' }
  /** The probe is stopping: shorten delays. */
  | { kind: 'hurry' };

/** Sends the contents of the spool. After a failure, a new run starts from the spool. */
export class Sender<Lane extends LaneSource = LaneSource> {
  readonly #options: SenderOptions<Lane>;
  readonly #actor: OnlyActor<SenderMessage>;
  #onIdle: (() => void) | null = null;
  /** True while a message is queued: it covers the whole spool. */
  #isKicked = false;

  constructor(options: SenderOptions<Lane>) {
    const { clock, log, random } = options;
    this.#options = options;
    this.#actor = superviseOne({
      kind: 'sender', clock, log, random, failureMessage: 'sending failed and is restarting',
      capacity: MAILBOX_MESSAGES, firstDelayMs: MIN_RESTART_DELAY_MS, maxDelayMs: MAX_RESTART_DELAY_MS,
      start: (context) => {
        this.#isKicked = false;
        return new SenderBehaviour(options, context, {
          onTurn: () => {
            this.#isKicked = false;
          },
          onIdle: () => this.#onIdle?.(),
        });
      },
    });
  }

  start(): void {
    this.#actor.start();
    this.#options.bus.onChange((isConnected) => {
      if (isConnected) this.#actor.send({ kind: 'restart' });
    });
  }

  /** Signals that there may be something new to send. */
  kick(): void {
    if (this.#isKicked) return;
    this.#isKicked = true;
    this.#actor.send({ kind: 'pump' });
  }

  /** Stops sending once everything is acknowledged or `graceMs` has passed. */
  async stop(graceMs: number): Promise<void> {
    const { bus, clock } = this.#options;
    if (bus.isConnected) {
      await new Promise<void>((resolve) => {
        const timer = clock.setTimer(graceMs, resolve);
        this.#onIdle = () => {
          timer.cancel();
          resolve();
        };
        this.#actor.send({ kind: 'hurry' });
      });
    }
    await this.#actor.stop();
  }
}

interface SenderHooks {
  /** A message is being handled. */
  onTurn(): void;
  /** Everything is acknowledged. */
  onIdle(): void;
}

/** One run of the sender: the newest epoch first, round-robin by lane; older ones one epoch at a time. */
class SenderBehaviour<Lane extends LaneSource> implements Behaviour<SenderMessage> {
  readonly #options: SenderOptions<Lane>;
  readonly #context: ActorContext<SenderMessage>;
  readonly #hooks: SenderHooks;
  readonly #lanes = new Map<Lane, LaneState<Lane>>();
  #bytes = 0;
  #turn = 0;

  constructor(options: SenderOptions<Lane>, context: ActorContext<SenderMessage>, hooks: SenderHooks) {
    this.#options = options;
    this.#context = context;
    this.#hooks = hooks;
    context.enqueue({ kind: 'pump' });
  }

  async receive(message: SenderMessage): Promise<void> {
    this.#hooks.onTurn();
    this.#refresh();
    for (const { sender } of this.#lanes.values()) {
      if (message.kind === 'restart') sender.restart();
      else if (message.kind === 'hurry') sender.hurry();
    }
    await this.#pump();
    if (this.#isIdle) this.#hooks.onIdle();
  }

  close(): void {
    for (const { sender } of this.#lanes.values()) sender.stop();
  }

  get #isIdle(): boolean {
    for (const { sender } of this.#lanes.values()) if (!sender.isIdle) return false;
    return this.#context.waiting === 0;
  }

  async #pump(): Promise<void> {
    const { bus, spool } = this.#options;
    if (!bus.isConnected) return;
    const fresh = this.#inTurn((lane) => spool.isFresh(lane));
    while (await pumpAll(fresh)) continue;
    if (await pumpAll(this.#oldest())) this.#kick();
  }

  #kick(): void {
    if (this.#context.waiting === 0) this.#context.enqueue({ kind: 'pump' });
  }

  /** Every lane with something to send, starting with a different one each time. */
  #inTurn(isWanted: (lane: Lane) => boolean): LaneSender<Lane>[] {
    const senders = [...this.#lanes.values()].map((state) => state.sender).filter(
      (sender) => sender.hasUnsent && isWanted(sender.lane),
    );
    if (senders.length === 0) return senders;
    this.#turn = (this.#turn + 1) % senders.length;
    return [...senders.slice(this.#turn), ...senders.slice(0, this.#turn)];
  }

  /**
   * In older epochs, the first undrained lane of each shard and every lane in doubt, because the rest of the
   * shard waits for those.
   */
  #oldest(): LaneSender<Lane>[] {
    const shards = new Set<number>();
    const senders: LaneSender<Lane>[] = [];
    for (const [lane, { sender }] of this.#lanes) {
      if (this.#options.spool.isFresh(lane) || lane.watermark >= lane.synced) continue;
      if (shards.has(lane.shard) && !lane.isInDoubt) continue;
      shards.add(lane.shard);
      senders.push(sender);
    }
    return senders;
  }

  #refresh(): void {
    const lanes = new Set(this.#options.spool.sendable());
    for (const [lane, { sender }] of this.#lanes) {
      if (lanes.has(lane)) continue;
      sender.stop();
      this.#lanes.delete(lane);
    }
    for (const lane of lanes) {
      if (!this.#lanes.has(lane)) {
        this.#lanes.set(
          lane, { sender: this.#senderOf(lane), lastResponseMs: this.#options.clock.monotonic() },
        );
      }
    }
  }

  #senderOf(lane: Lane): LaneSender<Lane> {
    const { bus, spool, clock, random, region, probeId } = this.#options;
    return new LaneSender<Lane>({
      lane, clock, random, maxBatches: () => (spool.isFresh(lane) ? FRESH_BATCHES : OLD_BATCHES),
      maxBytes: LANE_BYTES,
      read: (of, seq) => spool.read(of, seq),
      trim: (of, watermark) => spool.trim(of, watermark),
      request: (of, bytes, timeoutMs) =>
        bus.request(subjects.results(of.shard, region, probeId), bytes, timeoutMs),
      acquire: (bytes) => this.#acquire(bytes, spool.isFresh(lane)),
      release: (bytes) => {
        this.#bytes -= bytes;
      },
      onProgress: (of, from, to) => this.#onProgress(of, from, to),
      onError: (error) => this.#context.fail(error),
    });
  }

  #acquire(bytes: number, isFresh: boolean): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > (isFresh ? TOTAL_BYTES : TOTAL_BYTES / 2)) return false;
    this.#bytes += bytes;
    return true;
  }

  #onProgress(lane: Lane, from: number, to: number): void {
    const state = this.#lanes.get(lane);
    if (state && to > from) {
      const nowMs = this.#options.clock.monotonic();
      const silentMs = nowMs - state.lastResponseMs;
      state.lastResponseMs = nowMs;
      if (silentMs > OUTAGE_MS && lane.synced - to > OUTAGE_RESULTS) this.#separate(lane);
    }
    this.#kick();
  }

  /** After an outage the backlog must not delay new results. */
  #separate(lane: Lane): void {
    const epochs = new Set([...this.#lanes.keys()].map((each) => each.epoch));
    if (!this.#options.spool.isFresh(lane) || epochs.size > MAX_OLD_EPOCHS) return;
    this.#options.spool.openEpoch();
  }
}

/** At once, because on a busy probe each read from the disk takes a turn of the event loop. */
async function pumpAll(senders: readonly { pump(): Promise<boolean> }[]): Promise<boolean> {
  const hasSent = await Promise.all(senders.map((sender) => sender.pump()));
  return hasSent.includes(true);
}
