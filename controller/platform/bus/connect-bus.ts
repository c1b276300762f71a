import { spreadMs } from '../../../shared/backoff.ts';
import { readBusCredentials } from '../../../shared/bus-credentials.ts';
import type { Log } from '../../../shared/log.ts';
import { connectNats, natsUrls } from '../../../shared/nats-connection.ts';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { NatsBus } from './bus.ts';

/** The longest delay is ten times as long. */
const MIN_RECONNECT_MS = 200;
const WAITING_LOG_INTERVAL_MS = 5000;

interface BusOptions {
  /** `nats://` or `tls://` URLs separated by commas. May contain `user:password@`. */
  url: string;
  /** Path of a .creds file or of a file with an nkey seed. */
  creds?: string | null;
  /** Shown in the server's list of connections. */
  name: string;
  log: Log;
  clock?: Clock;
  /** Two unanswered pings at this interval mean that the connection is lost. */
  pingIntervalMs?: number;
}

/**
 * Resolves once connected, however long that takes, and from then on reconnects forever. Rejects if the
 * credentials are unreadable.
 */
export async function connectBus(options: BusOptions): Promise<NatsBus> {
  const { url, creds = null, name, log, clock = systemClock, pingIntervalMs } = options;
  const credentials = readBusCredentials(url, creds);
  const servers = natsUrls(url).map(({ host }) => host);
  const waiting =
    clock.setRepeating(WAITING_LOG_INTERVAL_MS, () => log.warn({ servers }, 'waiting for NATS'));
  const connection = await connectNats({
    ...credentials, url, name, pingIntervalMs, waitOnFirstConnect: true,
    reconnectDelayMs: () => spreadMs(MIN_RECONNECT_MS, 9, Math.random()),
  }).finally(() => waiting.cancel());
  return new NatsBus(connection, log, clock);
}
