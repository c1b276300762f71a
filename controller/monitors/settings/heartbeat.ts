import { z } from 'zod';
import { newSecret } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ValidationIssue } from '../../http/input/validation.ts';
import type { CheckType, FieldsOf } from './registry.ts';
import { CONCEALED } from './sent-settings.ts';

export interface HeartbeatSettings {
  /** 128 random bits in the ping URL; also the monitor's target. */
  token: string;
  /** Expected time between two pings. */
  interval_seconds: number;
  /** How late a ping may be. */
  grace_seconds: number;
}

const MAX_PING_INTERVAL_SECONDS = 366 * 86_400;
const MAX_GRACE_SECONDS = 31 * 86_400;
/** For `interval_seconds` of any monitor. */
export const MAX_INTERVAL_SECONDS = 86_400;
const TOKEN_LENGTH = 32;

/** A token made by another tool, which an import may keep. */
export const IMPORTED_TOKEN = /^[A-Za-z0-9_-]{10,64}$/;

const seconds = (max: number, name: string) =>
  z.int().max(max, `${name} must be at most ${max} seconds`).meta({ minimum: 1, 'x-unit': 's' })
    .nullable().optional();

export const heartbeatFields = {
  heartbeat_interval: seconds(MAX_PING_INTERVAL_SECONDS, 'Interval')
    .describe('Seconds between two pings; required for HEARTBEAT.'),
  grace_period: seconds(MAX_GRACE_SECONDS, 'Grace period')
    .describe('Seconds that a ping may be late; required for HEARTBEAT.'),
};

export const heartbeatResponseFields = {
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
    const pingInterval = input.heartbeat_interval ?? seen?.interval_seconds;
    const grace = input.grace_period ?? seen?.grace_seconds;
    const min = pingInterval === seen?.interval_seconds ? 0 : minIntervalSeconds;
    const faults = [
      ...faultOf('heartbeat_interval', pingInterval, min, 'Interval'),
      ...faultOf('grace_period', grace, 1, 'Grace period'),
    ];
    if (pingInterval === undefined || grace === undefined || faults.length > 0) throw settingsRefused(faults);
    const token = seen?.token ?? newSecret().slice(0, TOKEN_LENGTH);
    const heartbeat = { token, interval_seconds: pingInterval, grace_seconds: grace };
    const interval_seconds = ownInterval(input.interval_seconds, pingInterval, current);
    return { target: token, heartbeat, interval_seconds };
  },
  view: ({ heartbeat }, isConcealed) => (heartbeat === null ? {} : {
    heartbeat_interval: heartbeat.interval_seconds,
    grace_period: heartbeat.grace_seconds,
    heartbeat_token: isConcealed ? CONCEALED : heartbeat.token,
  }),
  // Probes do not check heartbeats; the controllers wait for pings.
  toSpec: () => ({ type: 'HEARTBEAT' }),
};

function faultOf(name: string, value: number | undefined, min: number, label: string): ValidationIssue[] {
  const path = [name];
  if (value === undefined) return [{ code: 'custom', path, message: 'Required for HEARTBEAT monitors' }];
  const message = `${label} must be at least ${min} ${min === 1 ? 'second' : 'seconds'}`;
  return value < min ? [{ code: 'too_small', path, message }] : [];
}

function settingsRefused(faults: ValidationIssue[]): AppError {
  const text = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ');
  return new AppError('VALIDATION_FAILED', `Validation failed: ${text}`, { details: faults });
}

/** The default interval of a heartbeat monitor. */
export function intervalFromPings(pingInterval: number): number {
  return Math.min(pingInterval, MAX_INTERVAL_SECONDS);
}

/** The monitor's own interval, which follows the ping interval until the user sets another one. */
function ownInterval(
  sent: number | undefined, pingInterval: number, current: (Own & { interval_seconds: number }) | null,
): number {
  if (current === null) return sent ?? intervalFromPings(pingInterval);
  const { interval_seconds: own, heartbeat } = current;
  if (sent !== undefined && sent !== own) return sent;
  return own === intervalFromPings(heartbeat?.interval_seconds ?? 0) ? intervalFromPings(pingInterval) : own;
}
