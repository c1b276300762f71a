import { AckPolicy, DeliverPolicy, NatsError } from 'nats';
import { RAW_STREAM } from '../../../shared/contracts/subjects.ts';
import type { NatsBus } from './bus.ts';

/** A subscriber's consumer of the stream RAW. */
export interface RawConsumer {
  name: string;
  /** A NATS subject pattern. */
  filter: string;
}

export interface RawConsumerSource {
  /** From this controller's memory. */
  wanted(): RawConsumer[];
  /** From the database: another controller may just have created one. */
  reloadWanted(): Promise<RawConsumer[]>;
}

/** A message without acknowledgement is redelivered after this time. */
const ACK_WAIT_NS = 60_000_000_000;
/** Limits per subscriber: unacknowledged messages, pending fetches, messages per fetch. */
const LIMITS = { max_ack_pending: 20_000, max_waiting: 64, max_batch: 5000 };

/** Creates or updates the wanted pull consumers of RAW and deletes all others. Rejects if NATS refuses. */
export async function reconcileRawConsumers(
  bus: Pick<NatsBus, 'jetStream'>, source: RawConsumerSource,
): Promise<void> {
  const { consumers } = await bus.jetStream();
  const present = new Set<string>();
  for await (const { name } of consumers.list(RAW_STREAM)) present.add(name);
  const cached = source.wanted();
  const hasUnknown = [...present].some((name) => !cached.some((one) => one.name === name));
  const wanted = hasUnknown ? await source.reloadWanted() : cached;
  for (const { name, filter } of wanted.filter((one) => !present.has(one.name))) {
    await consumers.add(RAW_STREAM, {
      durable_name: name, filter_subject: filter, deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit, ack_wait: ACK_WAIT_NS, ...LIMITS,
    });
  }
  const names = new Set(wanted.map((one) => one.name));
  for (const name of present) {
    if (!names.has(name)) await consumers.delete(RAW_STREAM, name).catch(ignoreNotFound);
  }
}

/** Another controller has already deleted it. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NatsError) || error.api_error?.code !== 404) throw error;
}
