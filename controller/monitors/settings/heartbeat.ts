import { z } from 'zod';
import { AppError } from '../../../shared/errors.ts';
import { newSecret } from '../../../shared/ids.ts';
import type { ValidationIssue } from '../../http/validation.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { CONCEALED } from './http-credentials.ts';

export interface HeartbeatSettings {
  /** 128 random bits, in the URL that is pinged; also the monitor's target. */
  token: string;
  /** Seconds between two pings. */
  interval_seconds: number;
  /** Seconds that a ping may be late. */
  grace_seconds: number;
}

const LONGEST_PING_INTERVAL = 366 * 86_400;
const LONGEST_GRACE = 31 * 86_400;
/** Limit on the `interval_seconds` of any monitor. */
export const LONGEST_INTERVAL = 86_400;
const TOKEN_LENGTH = 32;

const seconds = (most: number, name: string) =>
  z.int().max(most, `${name} must be at most ${most} seconds`).meta({ minimum: 1, 'x-unit': 's' })
    .nullable().optional();

export const heartbeatFields = {
  heartbeat_interval: seconds(LONGEST_PING_INTERVAL, 'Interval')
    .describe('Seconds between two pings; required for HEARTBEAT.'),
  grace_period: seconds(LONGEST_GRACE, 'Grace period')
    .describe('Seconds that a ping may be late; required for HEARTBEAT.'),
};

export const heartbeatAnswer = {
  heartbeat_interval: z.int().optional(),
  grace_period: z.int().optional(),
  heartbeat_token: z.string().optional(),
  last_heartbeat_at: z.int().optional().describe('Unix seconds; absent until the first ping.'),
};

interface Own {
  heartbeat: HeartbeatSettings | null;
}

export const heartbeatType: CheckType<FieldsOf<typeof heartbeatFields>, Own> = {
  fields: Object.keys(heartbeatFields),
  resolve: (input, current, minIntervalSeconds) => {
    const seen = current?.heartbeat ?? null;
    const pings = input.heartbeat_interval ?? seen?.interval_seconds;
    const grace = input.grace_period ?? seen?.grace_seconds;
    const least = pings === seen?.interval_seconds ? 0 : minIntervalSeconds;
    const faults = [
      ...faultOf('heartbeat_interval', pings, least, 'Interval'),
      ...faultOf('grace_period', grace, 1, 'Grace period'),
    ];
    if (pings === undefined || grace === undefined || faults.length > 0) throw settingsRefused(faults);
    const token = seen?.token ?? newSecret().slice(0, TOKEN_LENGTH);
    const heartbeat = { token, interval_seconds: pings, grace_seconds: grace };
    const interval_seconds = ownInterval(input.interval_seconds, pings, current);
    return { target: token, heartbeat, interval_seconds };
  },
  view: ({ heartbeat }, isConcealed) => (heartbeat === null ? {} : {
    heartbeat_interval: heartbeat.interval_seconds,
    grace_period: heartbeat.grace_seconds,
    heartbeat_token: isConcealed ? CONCEALED : heartbeat.token,
  }),
  // Probes do nothing for a heartbeat: the controllers wait for its pings.
  toSpec: () => ({ type: 'HEARTBEAT' }),
};

function faultOf(name: string, value: number | undefined, least: number, label: string): ValidationIssue[] {
  const path = [name];
  if (value === undefined) return [{ code: 'custom', path, message: 'Required for HEARTBEAT monitors' }];
  const message = `${label} must be at least ${least} ${least === 1 ? 'second' : 'seconds'}`;
  return value < least ? [{ code: 'too_small', path, message }] : [];
}

function settingsRefused(faults: ValidationIssue[]): AppError {
  const text = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ');
  return new AppError('VALIDATION_FAILED', `Validation failed: ${text}`, { details: faults });
}

/** The interval of a monitor that takes it from its pings, seconds. */
export function followingInterval(ofPings: number): number {
  return Math.min(ofPings, LONGEST_INTERVAL);
}

/** The monitor's own interval, which follows that of its pings until another one is sent. */
function ownInterval(
  sent: number | undefined, ofPings: number, current: (Own & { interval_seconds: number }) | null,
): number {
  if (current === null) return sent ?? followingInterval(ofPings);
  const { interval_seconds: own, heartbeat } = current;
  if (sent !== undefined && sent !== own) return sent;
  return own === followingInterval(heartbeat?.interval_seconds ?? 0) ? followingInterval(ofPings) : own;
}
