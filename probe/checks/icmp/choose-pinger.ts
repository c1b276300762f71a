import type { RawSockets } from 'raw-socket';
import type { Clock } from '../../../shared/time.ts';
import { RawPinger } from './raw-pinger.ts';
import { findSystemPinger, type SystemPinger } from './system-pinger.ts';

/** How this machine pings, and why not by raw sockets, worded for users; null if it uses them. */
export type PingChoice =
  | { pinger: RawPinger; raw: RawSockets; rawUnavailableReason: null }
  | { pinger: SystemPinger | null; raw: null; rawUnavailableReason: string };

/** Prefers raw sockets, then a working system `ping`. Never rejects. */
export async function choosePinger(clock: Clock): Promise<PingChoice> {
  try {
    const { default: raw } = await import('raw-socket');
    return { pinger: new RawPinger(raw, clock), raw, rawUnavailableReason: null };
  } catch (error) {
    const rawUnavailableReason = reasonOf(error as NodeJS.ErrnoException);
    return { pinger: await findSystemPinger(clock), raw: null, rawUnavailableReason };
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_MODULE_NOT_FOUND') return 'raw-socket is not installed';
  if (code === 'MODULE_NOT_FOUND') return 'raw-socket is not built';
  if (code === 'ERR_DLOPEN_FAILED') return 'raw-socket is built for another version of Node.js';
  return `raw sockets cannot be opened (${message}); they require root or CAP_NET_RAW`;
}
