import type { WorkClaim } from '../work/claimed-work.ts';
import type { QueuedDelivery } from './delivery.ts';

/** Per destination. One that is new, slow or failing counts as unproven. */
export const MAX_CONCURRENT_ATTEMPTS = 4;
const MAX_CONCURRENT_WHEN_UNPROVEN = 1;
/** Limit per destination in memory. Further deliveries wait in the database. */
export const QUEUE_PAGE = 1000;
/** A destination that responds slower than this is slow. */
const SLOW_THRESHOLD_MS = 2000;
/** After an outage at least this long, deliveries that wait for a retry are sent immediately. */
const MIN_OUTAGE_MS = 60_000;
/** Delay after an attempt that could not start for lack of capacity. */
const BUSY_RETRY_MS = 1000;

/** A destination that is failing or slow uses the slow pool. */
export type Pool = 'fast' | 'slow';

/**
 * `loading`: reading the queue. `working`: sending. `settling`: storing when it is due next. `idle`:
 * finished.
 */
export interface QueueState {
  phase: 'loading' | 'working' | 'settling' | 'idle';
  /** The queue's counter when it was read. Settling requires that it has not changed. */
  wakes: number;
  items: QueuedDelivery[];
  running: { id: string; line: string }[];
  /** Deliveries were queued after the queue was read. */
  isStale: boolean;
  /** The destination was deleted, so its pending deliveries end immediately. */
  isGone: boolean;
  isProven: boolean;
  /** First failure since the last success, Unix ms; null while the destination works. */
  failingSince: number | null;
  /** The last successful delivery that is not stored yet, Unix ms. */
  deliveredAt: number | null;
  pool: Pool;
}

/**
 * How an attempt ended for the queue. `dropped`: failed without sending. `again`: no outcome was recorded; it
 * is repeated shortly, or at `readyAt`. `lost`: another controller has it. `also`: other deliveries in the
 * same mail.
 */
export type AttemptOutcome =
  | { kind: 'sent'; durationMs: number | null; also?: string[] }
  | { kind: 'failed'; also?: string[] }
  | { kind: 'dropped'; also?: string[] }
  | { kind: 'retry'; readyAt: number; also?: string[] }
  | { kind: 'again'; readyAt?: number; also?: string[] }
  | { kind: 'lost' };

export type QueueMessage =
  | { kind: 'wake' }
  | { kind: 'loaded'; wakes: number; items: QueuedDelivery[]; failingSince: number | null; isGone: boolean }
  | { kind: 'attempted'; id: string; outcome: AttemptOutcome }
  | { kind: 'settled'; isAccepted: boolean };

export type QueueEffect =
  | { kind: 'load' }
  | { kind: 'attempt'; id: string; claim?: WorkClaim; pool: Pool }
  | { kind: 'recovered'; at: number }
  | { kind: 'settle'; wakes: number; dueAt: number | null; deliveredAt: number | null; isGone: boolean };

export interface QueueStep {
  state: QueueState;
  effects: readonly QueueEffect[];
}

export function initialQueue(): QueueStep {
  const state: QueueState = {
    phase: 'loading', wakes: 0, items: [], running: [], isStale: false, isGone: false,
    isProven: false, failingSince: null, deliveredAt: null, pool: 'fast',
  };
  return { state, effects: [{ kind: 'load' }] };
}

/**
 * Sends the oldest pending delivery of each line, a few at a time. When nothing more can be sent now, reloads
 * a stale queue, or settles it and becomes idle. `now` is Unix ms.
 */
export function nextInQueue(state: QueueState, message: QueueMessage, now: number): QueueStep {
  if (message.kind === 'wake') {
    return state.phase === 'idle' ? load(state) : { state: { ...state, isStale: true }, effects: [] };
  }
  if (message.kind === 'loaded') {
    const { wakes, items, failingSince, isGone } = message;
    const pool: Pool = failingSince !== null ? 'slow' : state.pool;
    return proceed({ ...state, phase: 'working', wakes, items, failingSince, isGone, pool }, now);
  }
  if (message.kind === 'attempted') return afterAttempt(state, message, now);
  const settled = message.isAccepted ? { ...state, deliveredAt: null } : state;
  if (!message.isAccepted || state.isStale) return load(settled);
  return { state: { ...settled, phase: 'idle', items: [] }, effects: [] };
}

function load(state: QueueState): QueueStep {
  return { state: { ...state, phase: 'loading', items: [], isStale: false }, effects: [{ kind: 'load' }] };
}

function afterAttempt(
  state: QueueState, message: Extract<QueueMessage, { kind: 'attempted' }>, now: number,
): QueueStep {
  const next = withOutcome(state, message, now);
  if (message.outcome.kind !== 'sent') return proceed(next, now);
  const { failingSince } = state;
  if (failingSince === null) return proceed(next, now);
  const items = now - failingSince >= MIN_OUTAGE_MS ? broughtForward(next.items, now) : next.items;
  const { state: after, effects } = proceed({ ...next, items }, now);
  return { state: after, effects: [{ kind: 'recovered', at: now }, ...effects] };
}

function withOutcome(
  state: QueueState, { id, outcome }: Extract<QueueMessage, { kind: 'attempted' }>, now: number,
): QueueState {
  const next = { ...state, running: state.running.filter((one) => one.id !== id) };
  const ids = new Set([id, ...('also' in outcome ? (outcome.also ?? []) : [])]);
  const failing = { isProven: false, pool: 'slow', failingSince: state.failingSince ?? now } as const;
  switch (outcome.kind) {
    case 'sent': {
      const isProven = outcome.durationMs !== null && outcome.durationMs < SLOW_THRESHOLD_MS;
      return {
        ...next, items: without(state.items, ids), isProven, pool: isProven ? 'fast' : 'slow',
        failingSince: null, deliveredAt: now,
      };
    }
    case 'failed':
      return { ...next, ...failing, items: without(state.items, ids) };
    case 'retry':
      return { ...next, ...failing, items: postponed(state.items, ids, outcome.readyAt) };
    case 'dropped':
      return { ...next, items: without(state.items, ids) };
    case 'again':
      return { ...next, items: postponed(state.items, ids, outcome.readyAt ?? now + BUSY_RETRY_MS) };
    case 'lost':
      // Stays in the queue until it is reloaded, so that later deliveries do not overtake it.
      return { ...next, items: postponed(state.items, ids, Infinity), isStale: true };
  }
}

function proceed(state: QueueState, now: number): QueueStep {
  const maxConcurrent = state.isProven ? MAX_CONCURRENT_ATTEMPTS : MAX_CONCURRENT_WHEN_UNPROVEN;
  const room = maxConcurrent - state.running.length;
  const started = room > 0 ? runnable(state, now).slice(0, room) : [];
  const running = [...state.running, ...started.map(({ id, line }) => ({ id, line }))];
  if (running.length > 0) {
    return {
      state: { ...state, running },
      effects: started.map(({ id, claim }) =>
        ({ kind: 'attempt', id, ...(claim ? { claim } : {}), pool: state.pool })),
    };
  }
  if (state.isStale) return load(state);
  const heads = oldestOfEach(state.items);
  const dueAt = heads.length === 0 ? null : Math.min(...heads.map((head) => head.readyAt));
  const { wakes, deliveredAt, isGone } = state;
  return {
    state: { ...state, phase: 'settling' }, effects: [{ kind: 'settle', wakes, dueAt, deliveredAt, isGone }],
  };
}

function runnable(state: QueueState, now: number): QueuedDelivery[] {
  const busy = new Set(state.running.map((one) => one.line));
  return oldestOfEach(state.items).filter(
    (head) => !busy.has(head.line) && (head.readyAt <= now || state.isGone),
  );
}

function oldestOfEach(items: QueuedDelivery[]): QueuedDelivery[] {
  const heads = new Map<string, QueuedDelivery>();
  for (const item of items) if (!heads.has(item.line)) heads.set(item.line, item);
  return [...heads.values()];
}

function without(items: QueuedDelivery[], ids: ReadonlySet<string>): QueuedDelivery[] {
  return items.filter((item) => !ids.has(item.id));
}

function broughtForward(items: QueuedDelivery[], now: number): QueuedDelivery[] {
  return items.map((item) => {
    if (item.readyAt === Infinity) return item;
    return { ...item, readyAt: Math.min(item.readyAt, Math.max(now, item.notBefore ?? now)) };
  });
}

function postponed(items: QueuedDelivery[], ids: ReadonlySet<string>, readyAt: number): QueuedDelivery[] {
  return items.map((item) => (ids.has(item.id) ? { ...item, readyAt } : item));
}
