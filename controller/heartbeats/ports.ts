import type { JournaledPing } from '../verdicts/monitor-state.ts';
import type { ReceivedPing } from '../results/intake/ping-rules.ts';

/** A heartbeat monitor, as far as its pings are concerned. */
export interface PingedMonitor {
  id: string;
  status: 'active' | 'paused' | 'disabled';
  revision: number;
}

export interface HeartbeatLookup {
  /** The living monitor of any tenant that the token belongs to. */
  byToken(token: string): Promise<PingedMonitor | null>;
}

/** Pings from their receipt until they are in the journal. */
export interface PingRepository {
  /** Durable on return. */
  insert(ping: ReceivedPing & { shard: number }): Promise<void>;
}

/** What a job tells. */
export type PingSignal = Pick<JournaledPing, 'kind' | 'exit_code'>;
