import { DiscardPolicy, ErrorCode, NatsError, RetentionPolicy, StorageType, type StreamConfig } from 'nats';
import { RAW_STREAM, subjects } from '../../../shared/contracts/subjects.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import type { NatsBus } from './bus.ts';
import { reconcileRawConsumers, type RawConsumerSource } from './raw-consumers.ts';
import { RawMarks } from './raw-marks.ts';

const MAX_AGE_NS = 3_600_000_000_000;
const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;
/** Also detects a cluster that lost the stream while we stayed connected. */
const CHECK_INTERVAL_MS = 30_000;
/** The quickstart's server starts JetStream only when the first subscription is created. */
const RETRY_INTERVAL_MS = 1000;
/** On different servers of a cluster, so that one may fail. */
const REPLICAS = 3;
/** The cluster has too few servers, or too little room, for the replicas. */
const TOO_FEW_SERVERS = [10005, 10023, 10074];
/** JetStream is disabled for this account or server. */
const NOT_ENABLED = [10039, 10076];

/**
 * Creates or updates the stream RAW: `raw.>` on disk for an hour, oldest discarded at the byte limit, on
 * three servers of a cluster if possible. False if the server has no JetStream; rejects if it refuses or
 * times out.
 */
export async function ensureRawStream(
  bus: Pick<NatsBus, 'jetStream' | 'isClustered'>, maxBytes = DEFAULT_MAX_BYTES,
): Promise<boolean> {
  if (!bus.isClustered) return ensureReplicas(bus, maxBytes, 1);
  return ensureReplicas(bus, maxBytes, REPLICAS).catch((error: unknown) => {
    if (isRefusedAs(error, TOO_FEW_SERVERS)) return ensureReplicas(bus, maxBytes, 1);
    throw error;
  });
}

async function ensureReplicas(
  bus: Pick<NatsBus, 'jetStream'>, maxBytes: number, replicas: number,
): Promise<boolean> {
  const wanted: Partial<StreamConfig> = {
    subjects: [subjects.rawOfAll],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: MAX_AGE_NS,
    max_bytes: maxBytes,
    no_ack: true,
    num_replicas: replicas,
  };
  const { streams } = await bus.jetStream();
  try {
    const found = await streams.info(RAW_STREAM).catch(nullIfMissing);
    if (found === null) await streams.add({ name: RAW_STREAM, ...wanted });
    else if (!isAsWanted(found.config, wanted)) await streams.update(RAW_STREAM, wanted);
    return true;
  } catch (error) {
    if (isWithoutJetStream(error)) return false;
    throw error;
  }
}

interface RawStreamOptions {
  bus: Pick<NatsBus, 'jetStream' | 'isConnected' | 'isClustered' | 'onReconnect' | 'publish'>;
  consumers: RawConsumerSource;
  log: Log;
  clock: Clock;
  maxBytes?: number;
}

/**
 * While there are subscriptions, ensures RAW and its consumers twice a minute and after each reconnect,
 * because NATS may have lost them. Recreates a stream that no longer stores messages.
 */
export function maintainRawStream({ bus, consumers, log, clock, maxBytes }: RawStreamOptions): PeriodicTask {
  let wasPossible = true;
  // Initially true: the last subscription may have been deleted while no controller ran.
  let mayHaveStaleConsumers = true;
  const marks = new RawMarks(bus, clock);
  const isStoring = async (): Promise<boolean | null> => {
    const { streams } = await bus.jetStream();
    const isWorking = marks.check((await streams.info(RAW_STREAM)).state.last_seq);
    if (isWorking !== false) return isWorking;
    log.error('the stream RAW stores nothing, for example after a full disk; it is recreated without its old messages');
    marks.reset();
    await streams.delete(RAW_STREAM);
    return ensureRawStream(bus, maxBytes);
  };
  const task = new PeriodicTask({
    clock,
    intervalMs: RETRY_INTERVAL_MS,
    runsAtStart: true,
    idleIntervalMs: CHECK_INTERVAL_MS,
    task: async () => {
      if (!bus.isConnected) return;
      if (consumers.wanted().length === 0) {
        marks.reset();
        // Without JetStream there is nothing to remove, and old servers don't report that.
        if (mayHaveStaleConsumers) await reconcileRawConsumers(bus, consumers).catch(() => undefined);
        mayHaveStaleConsumers = false;
        return 'idle';
      }
      mayHaveStaleConsumers = true;
      const isPossible = await ensureRawStream(bus, maxBytes);
      if (wasPossible && !isPossible) log.info('NATS has no JetStream, so raw results are only available live');
      wasPossible = isPossible;
      if (!isPossible) return;
      const isHealthy = await isStoring();
      await reconcileRawConsumers(bus, consumers);
      return isHealthy ? 'idle' : undefined;
    },
    onError: (error) => log.warn({ err: error }, 'could not create or update the stream RAW'),
  });
  bus.onReconnect(() => {
    marks.reset();
    task.trigger();
  });
  return task;
}

function nullIfMissing(error: unknown): null {
  if (error instanceof NatsError && error.api_error?.code === 404) return null;
  throw error;
}

function isWithoutJetStream(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.api_error ? isRefusedAs(error, NOT_ENABLED) : error.code === ErrorCode.NoResponders;
}

function isRefusedAs(error: unknown, codes: readonly number[]): boolean {
  return error instanceof NatsError && codes.includes(error.api_error?.err_code ?? 0);
}

function isAsWanted(found: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return (['subjects', 'max_age', 'max_bytes', 'discard', 'storage', 'num_replicas'] as const).every(
    (field) => JSON.stringify(found[field]) === JSON.stringify(wanted[field]),
  );
}
