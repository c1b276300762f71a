import { RAW_STREAM, subjects } from '../../../shared/contracts/subjects.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { BusError, type Bus } from './bus-port.ts';

const KEEP_NS = 3_600_000_000_000;
const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;
const API_TIMEOUT_MS = 3000;
/** A server that lost everything while we stayed connected elsewhere (a cluster) is noticed by this. */
const LOOK_EVERY_MS = 60_000;
const RETRY_MS = 5000;

export interface RawStreamOptions {
  bus: Bus;
  log: Log;
  clock: Clock;
  maxBytes?: number;
}

interface ApiAnswer {
  error?: { code: number; err_code?: number; description: string };
  config?: Record<string, unknown>;
}

/**
 * Makes the stream RAW, or changes it to what it should be: `raw.>` on disk for an hour, oldest discarded at the
 * byte limit. False when the server has no JetStream; rejects when it does not answer or refuses.
 */
export async function ensureRawStream(bus: Bus, maxBytes = DEFAULT_MAX_BYTES): Promise<boolean> {
  const wanted = {
    name: RAW_STREAM,
    subjects: [subjects.rawOfAll],
    retention: 'limits',
    storage: 'file',
    discard: 'old',
    max_age: KEEP_NS,
    max_bytes: maxBytes,
    max_msgs: -1,
    max_consumers: -1,
    num_replicas: 1,
    no_ack: true,
  };
  const found = await askApi(bus, 'INFO', '');
  if (found === null) return false;
  if (found.error && found.error.code !== 404) throw new Error(`stream ${RAW_STREAM}: ${found.error.description}`);
  if (!found.error && isAsWanted(found.config ?? {}, wanted)) return true;
  const replicas = found.config?.['num_replicas'] ?? wanted.num_replicas;
  const made = await askApi(bus, found.error ? 'CREATE' : 'UPDATE', JSON.stringify({ ...wanted, num_replicas: replicas }));
  if (made === null) return false;
  if (made.error) throw new Error(`stream ${RAW_STREAM}: ${made.error.description}`);
  return true;
}

/** Ensures RAW now, after each reconnect (NATS may have lost everything) and once a minute; after a failure sooner. */
export function keepRawStream(options: RawStreamOptions): { stop(): void } {
  const { bus, log, clock, maxBytes } = options;
  let isStopped = false;
  let isBusy = false;
  let isDue = false;
  let again: Timer | null = null;
  let wasPossible: boolean | null = null;
  const look = async () => {
    if (isStopped || !bus.isConnected) return;
    isDue = isBusy;
    if (isBusy) return;
    isBusy = true;
    again?.cancel();
    let delayMs = LOOK_EVERY_MS;
    try {
      const isPossible = await ensureRawStream(bus, maxBytes);
      if (isPossible !== wasPossible && !isPossible) log.warn('NATS has no JetStream: raw results are live only');
      wasPossible = isPossible;
    } catch (error) {
      delayMs = RETRY_MS;
      log.warn({ err: error }, 'stream RAW not ensured');
    }
    isBusy = false;
    if (isDue) void look();
    else if (!isStopped) again = clock.setTimer(delayMs, () => void look());
  };
  bus.onReconnect(() => void look());
  void look();
  return {
    stop() {
      isStopped = true;
      again?.cancel();
    },
  };
}

async function askApi(bus: Bus, verb: 'INFO' | 'CREATE' | 'UPDATE', body: string): Promise<ApiAnswer | null> {
  try {
    const answer = await bus.request(`$JS.API.STREAM.${verb}.${RAW_STREAM}`, body, { timeoutMs: API_TIMEOUT_MS });
    const parsed = JSON.parse(Buffer.from(answer).toString('utf8')) as ApiAnswer;
    // 10039: JetStream is not enabled for this account; 10076: nor for the server.
    return parsed.error && [10039, 10076].includes(parsed.error.err_code ?? 0) ? null : parsed;
  } catch (error) {
    if (error instanceof BusError && error.failure === 'no_responders') return null;
    throw error;
  }
}

function isAsWanted(found: Record<string, unknown>, wanted: Record<string, unknown>): boolean {
  return ['subjects', 'max_age', 'max_bytes', 'discard', 'storage'].every(
    (field) => JSON.stringify(found[field]) === JSON.stringify(wanted[field]),
  );
}
