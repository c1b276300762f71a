import { z } from 'zod';
import { newSecret } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import { fieldError, timeZoneInput, type ValidationIssue } from '../../http/input/validation.ts';
import type { HeartbeatConfig } from '../../verdicts/monitor-config.ts';
import { cronProblem, firstDueAt } from '../../work/cron-schedule.ts';
import type { CheckType, FieldsOf } from './registry.ts';
import { CONCEALED } from './sent-settings.ts';

export interface HeartbeatSettings {
  /** 128 random bits in the ping URL; also the monitor's target. */
  token: string;
  /** Its name in ping URLs by name, unique in the project; null until the monitor is inserted. */
  slug: string | null;
  /** Expected time between two pings; null with a schedule. */
  interval_seconds: number | null;
  /** When pings are due: the time fields of a crontab line, and its time zone. Null with an interval. */
  schedule: string | null;
  timezone: string | null;
  /** How late a ping may be. */
  grace_seconds: number;
  /** How long a run may take; null for no limit. */
  max_runtime_seconds: number | null;
}

const MAX_PING_INTERVAL_SECONDS = 366 * 86_400;
/** Also of a run. */
export const MAX_GRACE_SECONDS = 31 * 86_400;
const MAX_SCHEDULE_LENGTH = 200;
/** For `interval_seconds` of any monitor. */
export const MAX_INTERVAL_SECONDS = 86_400;
const TOKEN_LENGTH = 32;

/** A token made by another tool, which an import may keep. */
export const IMPORTED_TOKEN = /^[A-Za-z0-9_-]{10,64}$/;

const seconds = (max: number, name: string) =>
  z.int().max(max, `${name} must be at most ${max} seconds`).meta({ minimum: 1, 'x-unit': 's' })
    .nullable().optional();

/** Parses to single spaces between the fields. */
const cronInput = z.string().max(MAX_SCHEDULE_LENGTH)
  .transform((line) => line.trim().split(/\s+/).join(' '))
  .check(({ value, issues }) => {
    const message = cronProblem(value);
    if (message !== null) issues.push({ code: 'custom', message, input: value });
  })
  .meta({ pattern: '^\\s*(?:[0-9A-Za-z*,/#-]+\\s+){4}[0-9A-Za-z*,/#-]+\\s*$' });

/** What a slug may look like. */
export const SLUG = /^[a-z0-9_-]{1,100}$/;

export const heartbeatFields = {
  heartbeat_interval: seconds(MAX_PING_INTERVAL_SECONDS, 'Interval')
    .describe('Seconds between two pings; HEARTBEAT requires this or `heartbeat_schedule`.'),
  heartbeat_schedule: cronInput.nullable().optional().describe(
    'When pings are due, as the five time fields of a crontab line: `30 3 * * 1-5`. Instead of `heartbeat_interval`.',
  ),
  heartbeat_timezone: timeZoneInput.nullable().optional()
    .describe('Time zone of `heartbeat_schedule`. Default: `UTC`.'),
  grace_period: seconds(MAX_GRACE_SECONDS, 'Grace period')
    .describe('Seconds that a ping may be late; required for HEARTBEAT.'),
  max_runtime_seconds: seconds(MAX_GRACE_SECONDS, 'Maximum run time').describe(
    'Seconds after which a run that has started and not ended is a failure. Null for no limit.',
  ),
  slug: z.string().regex(SLUG, 'Use 1 to 100 lowercase letters, digits, hyphens and underscores').nullable()
    .optional().describe('Its name in ping URLs, unique in the project. Default: made from `name`.'),
};

export const heartbeatResponseFields = {
  heartbeat_interval: z.int().optional(),
  heartbeat_schedule: z.string().optional(),
  heartbeat_timezone: z.string().optional(),
  grace_period: z.int().optional(),
  max_runtime_seconds: z.int().optional(),
  slug: z.string().optional(),
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
    const { schedule, timezone, interval_seconds: pingInterval } = timingOf(input, seen);
    const grace = input.grace_period ?? seen?.grace_seconds;
    const maxRuntime =
      input.max_runtime_seconds === undefined ? seen?.max_runtime_seconds ?? null : input.max_runtime_seconds;
    const min = pingInterval === seen?.interval_seconds ? 0 : minIntervalSeconds;
    const faults = [
      ...(schedule === null ? faultOf('heartbeat_interval', pingInterval, min, 'Interval') : []),
      ...faultOf('grace_period', grace, 1, 'Grace period'),
      ...(maxRuntime === null ? [] : faultOf('max_runtime_seconds', maxRuntime, 1, 'Maximum run time')),
    ];
    if (grace === undefined || faults.length > 0) throw settingsRefused(faults);
    const token = seen?.token ?? newSecret().slice(0, TOKEN_LENGTH);
    const heartbeat = {
      token, slug: input.slug ?? seen?.slug ?? null, interval_seconds: pingInterval, schedule, timezone,
      grace_seconds: grace, max_runtime_seconds: maxRuntime,
    };
    const interval_seconds = ownInterval(input.interval_seconds, pingInterval, current);
    return { target: token, heartbeat, interval_seconds };
  },
  view: ({ heartbeat }, isConcealed) => (heartbeat === null ? {} : {
    heartbeat_interval: heartbeat.interval_seconds ?? undefined,
    heartbeat_schedule: heartbeat.schedule ?? undefined,
    heartbeat_timezone: heartbeat.timezone ?? undefined,
    grace_period: heartbeat.grace_seconds,
    max_runtime_seconds: heartbeat.max_runtime_seconds ?? undefined,
    slug: heartbeat.slug ?? undefined,
    heartbeat_token: isConcealed ? CONCEALED : heartbeat.token,
  }),
  // Probes do not check heartbeats; the controllers wait for pings.
  toSpec: () => ({ type: 'HEARTBEAT' }),
};

type Timing = Pick<HeartbeatSettings, 'interval_seconds' | 'schedule' | 'timezone'>;

/**
 * The schedule or interval. The one that is sent replaces the other; without either, the current one stays.
 * Throws VALIDATION_ERROR.
 */
function timingOf(input: FieldsOf<typeof heartbeatFields>, seen: Timing | null): Timing {
  const { heartbeat_interval: interval = null, heartbeat_schedule: sent, heartbeat_timezone: zone } = input;
  if (interval !== null && typeof sent === 'string') {
    throw fieldError('heartbeat_schedule', 'Send either heartbeat_interval or heartbeat_schedule, not both');
  }
  const schedule = sent === undefined && interval === null ? seen?.schedule ?? null : sent ?? null;
  if (schedule === null) {
    if (typeof zone === 'string') throw fieldError('heartbeat_timezone', 'Requires heartbeat_schedule');
    return { interval_seconds: interval ?? seen?.interval_seconds ?? null, schedule, timezone: null };
  }
  const timezone = (zone === undefined ? seen?.timezone : zone) ?? 'UTC';
  return { interval_seconds: null, schedule, timezone };
}

/** The settings for the state machine. `changedAt`: from when on a scheduled ping is expected, Unix ms. */
export function toHeartbeatConfig(settings: HeartbeatSettings, changedAt: number): HeartbeatConfig {
  const { interval_seconds, grace_seconds, max_runtime_seconds, schedule: cron, timezone } = settings;
  const schedule = cron === null ? null : { cron, timezone: timezone ?? 'UTC' };
  return {
    interval_ms: (interval_seconds ?? MAX_INTERVAL_SECONDS) * 1000,
    grace_ms: grace_seconds * 1000,
    max_runtime_ms: max_runtime_seconds === null ? null : max_runtime_seconds * 1000,
    schedule, first_due_at: schedule && firstDueAt(schedule, changedAt),
  };
}

function faultOf(
  name: string, value: number | null | undefined, min: number, label: string,
): ValidationIssue[] {
  const path = [name];
  if (value === undefined || value === null) {
    const instead = name === 'heartbeat_interval' ? ', unless heartbeat_schedule is set' : '';
    return [{ code: 'custom', path, message: `Required for HEARTBEAT monitors${instead}` }];
  }
  const message = `${label} must be at least ${min} ${min === 1 ? 'second' : 'seconds'}`;
  return value < min ? [{ code: 'too_small', path, message }] : [];
}

function settingsRefused(faults: ValidationIssue[]): AppError {
  const text = faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`).join('; ');
  return new AppError('VALIDATION_FAILED', `Validation failed: ${text}`, { details: faults });
}

/** The default interval of a heartbeat monitor; null for one with a schedule. */
export function intervalFromPings(pingInterval: number | null): number {
  return Math.min(pingInterval ?? Infinity, MAX_INTERVAL_SECONDS);
}

/** The monitor's own interval, which follows the ping interval until the user sets another one. */
function ownInterval(
  sent: number | undefined, pingInterval: number | null, current: (Own & { interval_seconds: number }) | null,
): number {
  if (current === null) return sent ?? intervalFromPings(pingInterval);
  const { interval_seconds: own, heartbeat } = current;
  if (sent !== undefined && sent !== own) return sent;
  const usual = heartbeat && intervalFromPings(heartbeat.interval_seconds);
  return own === usual ? intervalFromPings(pingInterval) : own;
}
