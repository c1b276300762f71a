import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { MAX_URL_LENGTH } from '../../shared/net-guard.ts';
import {
  instantInput, queryInt, readOnlyFields, uuidParam, singleLineText, nonBlankText,
} from '../http/input/validation.ts';
import { ALERT_SEVERITIES } from '../verdicts/monitor-config.ts';
import { KEEPS_STORED_VALUE } from './settings/sent-settings.ts';
import { MAX_INTERVAL_SECONDS } from './settings/heartbeat.ts';
import { typeFields } from './settings/registry.ts';

const unique = <T>(list: T[]) => [...new Set(list)];

const warnings = {
  enabled: z.boolean().optional().describe('Required if nothing was configured before.'),
  expiry_warning_days: z.array(z.int().min(1).max(365)).max(10).meta({ 'x-unit': 'days' }).transform(unique)
    .optional(),
};
const sslMonitoring = z.strictObject({
  ...warnings, check_expiry: z.boolean().optional(), check_validity: z.boolean().optional(),
});
const domainMonitoring = z.strictObject(warnings);
const confirmationPolicy = z.strictObject({
  regions: z.union([z.enum(['majority', 'any', 'all']), z.int().min(1).max(100)]).optional(),
  retries: z.int().min(0).max(5).optional(),
  recoveries: z.int().min(0).max(10).optional()
    .describe('Good scheduled checks in a row, after the first, before a region counts as up again.'),
});
/** Parses to Unix ms. */
const replayInstant = z.union([z.int().min(0), instantInput], {
  error: 'Must be Unix milliseconds or an ISO 8601 date and time with its offset',
});
export const simulationInput = z.strictObject({
  confirmation_policy: confirmationPolicy.describe('Omitted fields keep the values of the monitor.'),
  from: replayInstant.describe('Start of the time range to replay: Unix ms or ISO 8601.'),
  to: replayInstant.optional().describe('Default: now.'),
});
export type SimulationInput = z.output<typeof simulationInput>;

const tag = singleLineText(50, ',').refine((text) => !text.includes(','), 'Must not contain a comma');
/** Per monitor. */
export const MAX_TAGS = 20;
const MAX_DEPENDENCIES = 20;
const monitorName = singleLineText(255);
const upToMaxDependencies = (item: z.ZodType<string>) => z.array(item)
  .max(MAX_DEPENDENCIES, `A monitor can depend on at most ${MAX_DEPENDENCIES} monitors`);
/** In an import. Monitors with the same name make it occur several times. */
export const dependencyNames = upToMaxDependencies(monitorName);
const regionId = z.string().regex(/^[a-z0-9-]{2,32}$/, 'Must be the id of a region');

export const targetField =
  nonBlankText(2048, 'Target must be at most 2048 characters', 'Target must not be empty').trim();

const runbookUrl = z.url({ protocol: /^https?$/, error: 'Must be an http or https URL' })
  .max(MAX_URL_LENGTH, `Must be at most ${MAX_URL_LENGTH} characters`)
  .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]+' });

const optionalFields = {
  timeout_ms: z.int().min(1000, 'Timeout must be at least 1000 ms')
    .max(60_000, 'Timeout must be at most 60000 ms').meta({ 'x-unit': 'ms' }).nullable().optional()
    .describe('Default or null: the lower of 10000 and the interval.'),
  group_id: uuidParam.nullable().optional().describe('Null for no group.'),
  tags: z.array(tag).max(MAX_TAGS, `A monitor can have at most ${MAX_TAGS} tags`).transform(unique).optional(),
  monitoring_regions: z.array(regionId).max(1000).transform(unique).optional()
    .describe('Ids of regions; empty for automatic selection.'),
  notification_target_ids: z.array(uuidParam).max(50).transform(unique).optional(),
  depends_on: upToMaxDependencies(uuidParam).transform(unique).optional()
    .describe('Monitors of the project. While one of them is down, the alerts of this monitor are held.'),
  ssl_monitoring: sslMonitoring.nullable().optional(),
  domain_monitoring: domainMonitoring.nullable().optional(),
  confirmation_policy: confirmationPolicy.optional(),
  is_inverted: z.boolean().optional()
    .describe('A check that succeeds is a failure, and the other way round. Not for HEARTBEAT.'),
  runbook_url: runbookUrl.nullable().optional()
    .describe('An http or https address that alerts and incidents link to.'),
  alert_severity: z.enum(ALERT_SEVERITIES).nullable().optional()
    .describe('The severity of its incidents. Default, also for null: by the type of the failure.'),
  ...typeFields,
};

const readOnly = readOnlyFields(
  'id', 'organization_id', 'created_by', 'status', 'configState', 'runtimeStatus', 'in_maintenance',
  'created_at', 'updated_at',
  'last_check_at', 'next_check_at', 'stats', 'group_name', 'heartbeat_token', 'last_heartbeat_at', 'managed_by',
);

/** Request bodies. `minIntervalSeconds` is the shortest interval that the installation accepts. */
export function monitorInputs(minIntervalSeconds: number) {
  const interval = z.int().min(minIntervalSeconds, `Interval must be at least ${minIntervalSeconds} seconds`)
    .max(MAX_INTERVAL_SECONDS, `Interval must be at most ${MAX_INTERVAL_SECONDS} seconds`)
    .meta({ 'x-unit': 's' }).optional();
  const name = monitorName;
  const type = z.enum(MONITOR_TYPES);
  const fields = {
    ...readOnly, name: name.optional(), type: type.optional(),
    target: targetField.optional().describe(KEEPS_STORED_VALUE),
    interval_seconds: interval, ...optionalFields,
  };
  return {
    create: z.strictObject({
      ...fields, name, type,
      target: fields.target.describe('Required, except for HEARTBEAT, where it is generated.'),
      interval_seconds: interval.describe('Required, except for HEARTBEAT.'),
    }).check(needed('target'), needed('interval_seconds')).meta(NEEDS_BY_TYPE),
    test: z.strictObject({ ...fields, type }).check(needed('target')).meta(TARGET_BY_TYPE),
    update: z.strictObject(fields),
  };
}

/** Expresses `needed` in the OpenAPI document, which cannot show a function. */
export const NEEDS_BY_TYPE = {
  if: { properties: { type: { const: 'HEARTBEAT' } } },
  then: { required: ['grace_period'], properties: { grace_period: { type: 'integer' } } },
  else: {
    required: ['target', 'interval_seconds'], properties: { target: { type: 'string' } },
  },
};
const TARGET_BY_TYPE = {
  if: NEEDS_BY_TYPE.if, then: {}, else: { required: ['target'], properties: { target: { type: 'string' } } },
};

type Body = { type?: unknown; target?: unknown; interval_seconds?: unknown };

/** Requires a field for every type but HEARTBEAT. */
function needed(name: 'target' | 'interval_seconds') {
  const isPresent = (body: Body) => body.type === 'HEARTBEAT' || (body[name] ?? null) !== null;
  const when = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;
  return z.refine<Body>(isPresent, { path: [name], message: 'Required', when });
}

type Inputs = ReturnType<typeof monitorInputs>;
export type CreateMonitorInput = z.infer<Inputs['create']>;
export type TestMonitorInput = z.infer<Inputs['test']>;
export type UpdateMonitorInput = z.infer<Inputs['update']>;

/** Per request. */
const MAX_BULK_MONITORS = 500;
const bulkIds = {
  monitor_ids: z.array(uuidParam).min(1, 'At least one monitor is required')
    .max(MAX_BULK_MONITORS, `At most ${MAX_BULK_MONITORS} monitors at once`).transform(unique),
};
export const namedTags = z.array(tag).min(1, 'At least one tag is required').max(MAX_TAGS).transform(unique);
const newGroup = uuidParam.nullable().describe('Null removes them from their group.');

export const bulkInput = z.discriminatedUnion('action', [
  z.strictObject({ action: z.enum(['pause', 'resume', 'delete']), ...bulkIds }),
  z.strictObject({ action: z.enum(['tag', 'untag']), ...bulkIds, tags: namedTags }),
  z.strictObject({ action: z.literal('move'), ...bulkIds, group_id: newGroup }),
]);
export type BulkInput = z.infer<typeof bulkInput>;

const MAX_LIST_ITEMS = 50;
const commaList = z.string().max(2000).transform((text) =>
  text.split(',').map((part) => part.trim()).filter((part) => part !== '').slice(0, MAX_LIST_ITEMS)).optional();

export const monitorListQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 100, fallback: 50 }),
  offset: queryInt({ min: 0, fallback: 0 }),
  status: z.enum(['active', 'paused', 'disabled']).optional()
    .describe('`paused` and `disabled` both return all monitors that are not active.'),
  type: z.enum(MONITOR_TYPES).optional(),
  types: commaList.describe('Comma-separated; takes precedence over `type`; unknown values are ignored.'),
  search: z.string().max(255, 'Search must be at most 255 characters').optional()
    .describe('Literal text in the name or target; ignores case.'),
  group_id: uuidParam.optional(),
  tags: commaList.describe('Comma-separated; monitors with any of these tags.'),
  sort_by: z.enum(['created_at', 'updated_at', 'name', 'last_check_at']).default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});
export type MonitorListInput = z.infer<typeof monitorListQuery>;

/** Days by name of the period. */
export const PERIOD_DAYS: Readonly<Record<string, number>> = { '7d': 7, '30d': 30, '90d': 90 };
const period = z.string().default('30d').meta({ enum: Object.keys(PERIOD_DAYS) });
export const periodQuery = z.strictObject({ period });
