import { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import { newSecret } from '../../../shared/ids.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { CheckType, FieldsOf } from './check-type.ts';

export interface HeartbeatSettings {
  /** 128 random bits, in the address that is pinged; also the monitor's target. */
  token: string;
  /** Seconds between two pings. */
  interval_seconds: number;
  /** Seconds that a ping may be late. */
  grace_seconds: number;
}

const LONGEST_INTERVAL_SECONDS = 366 * 86_400;
const LONGEST_GRACE_SECONDS = 31 * 86_400;
/** What any monitor's `interval_seconds` may be at most. */
const LONGEST_MONITOR_INTERVAL_SECONDS = 86_400;
const TOKEN_LENGTH = 32;

/** HEARTBEAT in bodies of create and update. */
export const heartbeatFields = {
  heartbeat_interval: z.int().max(LONGEST_INTERVAL_SECONDS, `Interval must be at most ${LONGEST_INTERVAL_SECONDS} seconds`).nullable().optional()
    .describe('Seconds between two pings; required for HEARTBEAT.'),
  grace_period: z.int().max(LONGEST_GRACE_SECONDS, `Grace period must be at most ${LONGEST_GRACE_SECONDS} seconds`).nullable().optional()
    .describe('Seconds that a ping may be late; required for HEARTBEAT.'),
};
type HeartbeatInput = FieldsOf<typeof heartbeatFields>;

/** HEARTBEAT in answers. */
export const heartbeatAnswer = {
  heartbeat_interval: z.int().optional(),
  grace_period: z.int().optional(),
  heartbeat_token: z.string().optional(),
  last_heartbeat_at: z.int().optional().describe('Unix seconds; absent until the first ping.'),
};

export const heartbeatType: CheckType<HeartbeatInput> = {
  fields: Object.keys(heartbeatFields),
  resolve: (input, current, minIntervalSeconds) => {
    const seen = current?.heartbeat ?? null;
    const interval = input.heartbeat_interval ?? seen?.interval_seconds;
    const grace = input.grace_period ?? seen?.grace_seconds;
    const faults = [
      ...faultOf('heartbeat_interval', interval, interval === seen?.interval_seconds ? 0 : minIntervalSeconds, 'Interval'),
      ...faultOf('grace_period', grace, 1, 'Grace period'),
    ];
    if (interval === undefined || grace === undefined || faults.length > 0) throw settingsRefused(faults);
    const token = seen?.token ?? newSecret().slice(0, TOKEN_LENGTH);
    const heartbeat = { token, interval_seconds: interval, grace_seconds: grace };
    return { target: token, heartbeat, interval_seconds: monitorInterval(input.interval_seconds, interval, current) };
  },
  view: ({ heartbeat }) =>
    heartbeat === null ? {} : { heartbeat_interval: heartbeat.interval_seconds, grace_period: heartbeat.grace_seconds, heartbeat_token: heartbeat.token },
  // Nobody is sent to look for a heartbeat: the controllers wait for it.
  toSpec: () => ({ type: 'HEARTBEAT' }),
};

function faultOf(path: string, value: number | undefined, least: number, name: string): { code: string; path: string[]; message: string }[] {
  if (value === undefined) return [{ code: 'custom', path: [path], message: 'Required for HEARTBEAT monitors' }];
  return value < least ? [{ code: 'too_small', path: [path], message: `${name} must be at least ${least} ${least === 1 ? 'second' : 'seconds'}` }] : [];
}

function settingsRefused(faults: { code: string; path: string[]; message: string }[]): AppError {
  const text = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ');
  return new AppError('VALIDATION_FAILED', `Validation failed: ${text}`, { details: faults });
}

/** The interval of a monitor that is to have that of its pings, seconds. */
export function followingInterval(ofPings: number): number {
  return Math.min(ofPings, LONGEST_MONITOR_INTERVAL_SECONDS);
}

/** The monitor's own interval follows that of its pings until another is sent. */
function monitorInterval(sent: number | undefined, ofPings: number, current: MonitorDoc | null): number {
  const following = followingInterval(ofPings);
  if (current === null) return sent ?? following;
  const isFollowing = current.interval_seconds === followingInterval(current.heartbeat?.interval_seconds ?? 0);
  if (sent === undefined || sent === current.interval_seconds) return isFollowing ? following : current.interval_seconds;
  return sent;
}
