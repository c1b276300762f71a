import { fnv1a } from '../ids.ts';
import type { Clock } from '../time.ts';
import { Actor, type ActorDefinition, type ActorHost, type ActorRef, type AnyActor, type SpawnOptions, type Supervision } from './actor.ts';

/** About one throw in one actor; an escalated one is reported again as its parent's. */
export interface FailureReport {
  readonly path: string;
  readonly error: unknown;
  readonly decision: 'restart' | 'stop' | 'escalate';
  /** Set when the actor is restarted. */
  readonly restartInMs?: number;
}

export interface ActorSystemOptions {
  readonly clock: Clock;
  readonly onFailure: (report: FailureReport) => void;
  /** Called when an actor without a parent escalates: nobody is left to decide but whoever built the system. */
  readonly onEscalation: (report: FailureReport) => void;
}

export const DEFAULT_SUPERVISION: Supervision = Object.freeze({
  onFailure: 'restart', firstDelayMs: 100, maxDelayMs: 30_000, maxRestarts: 10, withinMs: 300_000,
});

/** Messages that one actor handles before the next one has its turn. */
const MESSAGES_PER_TURN = 64;
/** Messages after which the event loop sees to its timers and sockets. */
const MESSAGES_PER_ROUND = 10_000;
/** How long a restart waits for what the failed life left under way. */
const FAILED_WORK_DEADLINE_MS = 5000;

/** The home of actors: gives each its turn, and carries out their parents' decisions when they fail. */
export class ActorSystem implements ActorHost {
  readonly clock: Clock;
  readonly #options: ActorSystemOptions;
  readonly #roots = new Map<string, AnyActor>();
  #queued: AnyActor[] = [];
  #isScheduled = false;
  #isStopping = false;

  constructor(options: ActorSystemOptions) {
    this.clock = options.clock;
    this.#options = options;
  }

  /** Starts an actor: without `parent` at the root. Throws when a sibling has that name, or the parent is stopped. */
  spawn<S, M, E>(definition: ActorDefinition<S, M, E>, options: SpawnOptions, parent: AnyActor | null = null): ActorRef<M> {
    if (this.#isStopping || (parent && parent.phase !== 'running')) throw new Error(`${options.name}: its parent is stopped`);
    const siblings = parent ? (parent.children ??= new Map()) : this.#roots;
    if (siblings.has(options.name)) throw new Error(`${options.name} is already there`);
    const path = parent ? `${parent.path}/${options.name}` : options.name;
    const supervision = options.supervision ? { ...DEFAULT_SUPERVISION, ...options.supervision } : DEFAULT_SUPERVISION;
    const actor = new Actor(definition, this, path, parent, supervision);
    siblings.set(options.name, actor);
    actor.begin();
    return actor;
  }

  /**
   * Stops everything. An actor that is stopped takes no more messages and forgets those that wait; its timers are
   * cancelled; effects in hand may finish until the deadline, then they are aborted. Resolves when all is over.
   */
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#roots.values()].map((actor) => this.#stopTree(actor, deadlineMs)));
  }

  stopChild(child: ActorRef<never>, parent: AnyActor, deadlineMs: number): Promise<void> {
    const actor = child as unknown as AnyActor;
    if (actor.parent !== parent) throw new Error(`${parent.path} is not the parent of ${actor.path}`);
    return this.#stopTree(actor, deadlineMs);
  }

  ready(actor: AnyActor): void {
    this.#queued.push(actor);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(this.#round);
  }

  failed(actor: AnyActor, error: unknown): void {
    if (actor.phase !== 'running') {
      if (actor.phase === 'stopping') this.#options.onFailure({ path: actor.path, error, decision: 'stop' });
      return;
    }
    actor.halt('failed');
    const decision = actor.supervision.onFailure === 'restart' ? this.#restartOrEscalate(actor) : { decision: actor.supervision.onFailure };
    const report: FailureReport = { path: actor.path, error, ...decision };
    this.#options.onFailure(report);
    if (report.restartInMs !== undefined) return this.#restart(actor, report.restartInMs);
    void this.#stopTree(actor, 0);
    if (report.decision === 'stop') actor.parent?.childFailed(actor.path, error);
    else if (actor.parent) this.failed(actor.parent, error);
    else this.#options.onEscalation(report);
  }

  readonly #round = (): void => {
    let left = MESSAGES_PER_ROUND;
    while (left > 0 && this.#queued.length > 0) {
      const turn = this.#queued;
      this.#queued = [];
      for (const actor of turn) left -= actor.run(MESSAGES_PER_TURN);
    }
    this.#isScheduled = this.#queued.length > 0;
    if (this.#isScheduled) this.clock.setTimer(0, this.#round);
  };

  /** Actors that fail together come back apart: the wait grows by up to a quarter, by the hash of the path. */
  #restartOrEscalate(actor: AnyActor): Pick<FailureReport, 'decision' | 'restartInMs'> {
    const { firstDelayMs, maxDelayMs, maxRestarts, withinMs } = actor.supervision;
    const now = this.clock.monotonic();
    const recent = (actor.restarts ?? []).filter((at) => now - at < withinMs);
    if (recent.length >= maxRestarts) return { decision: 'escalate' };
    actor.restarts = [...recent, now];
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** recent.length);
    return { decision: 'restart', restartInMs: Math.round(delayMs * (1 + (fnv1a(actor.path) % 256) / 1024)) };
  }

  #restart(actor: AnyActor, delayMs: number): void {
    const children = this.#stopChildren(actor, FAILED_WORK_DEADLINE_MS);
    actor.beginAfter(delayMs, Promise.all([children, actor.finish(FAILED_WORK_DEADLINE_MS)]));
  }

  async #stopTree(actor: AnyActor, deadlineMs: number): Promise<void> {
    if (actor.phase === 'stopped') return;
    actor.halt('stopping');
    await Promise.all([this.#stopChildren(actor, deadlineMs), actor.finish(deadlineMs)]);
    actor.retire();
    const siblings = actor.parent ? actor.parent.children : this.#roots;
    const name = actor.path.slice(actor.parent ? actor.parent.path.length + 1 : 0);
    if (siblings?.get(name) === actor) siblings.delete(name);
  }

  async #stopChildren(actor: AnyActor, deadlineMs: number): Promise<void> {
    await Promise.all([...(actor.children?.values() ?? [])].map((child) => this.#stopTree(child, deadlineMs)));
  }
}
