import { z } from 'zod';
import { MONITOR_TYPES } from '../../shared/contracts/check-spec.ts';
import { queryInt, uuidParam } from '../http/params.ts';
import { oneLine } from '../http/text.ts';
import { headerFaults } from './header-rules.ts';
import { HTTP_METHODS } from './monitor.ts';
import { httpTargetFault } from './target-rules.ts';

const LONGEST_INTERVAL_SECONDS = 86_400;

const unique = <T>(list: T[]) => [...new Set(list)];

const headers = z.record(z.string(), z.string()).superRefine((value, check) => {
  for (const { name, message } of headerFaults(value)) check.addIssue({ code: 'custom', path: name === '' ? [] : [name], message });
});
const credential = z.string().max(1000).regex(/^[^\p{Cc}]*$/u, 'Must not contain control characters');
const httpAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: credential.regex(/^[^:]*$/, 'Must not contain a colon'), password: credential }),
  z.strictObject({ type: z.literal('bearer'), token: z.string().max(4000).regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces') }),
]);
const statusCodes = z.array(z.int().min(100).max(599)).max(100).transform(unique);

/** Settings of an HTTP check as they stand at the top level of a monitor; a read returns them so. */
const httpFields = {
  method: z.enum(HTTP_METHODS).optional(),
  headers: headers.optional(),
  body: z.string().max(65_536).nullable().optional(),
  follow_redirects: z.boolean().optional(),
  max_redirects: z.int().min(0).max(10).optional(),
  verify_ssl: z.boolean().optional(),
  expected_status: statusCodes.optional().describe('Accepted status codes; empty means 200 to 299.'),
  slow_response_threshold_ms: z.int().min(1).max(60_000).nullable().optional(),
  auth: httpAuth.nullable().optional(),
};
const { expected_status: codes, ...sharedHttpFields } = httpFields;
const httpConfig = z.strictObject({ ...sharedHttpFields, expected_status_codes: codes });

const warningDays = z.array(z.int().min(1).max(365)).max(10).transform((days) => unique(days).sort((one, other) => other - one));
const sslMonitoring = z.strictObject({
  enabled: z.boolean(),
  check_expiry: z.boolean().default(true),
  check_validity: z.boolean().default(true),
  expiry_warning_days: warningDays.default([30, 14, 7, 1]),
});
const domainMonitoring = z.strictObject({ enabled: z.boolean(), expiry_warning_days: warningDays.default([30, 14, 7, 1]) });
const confirmationPolicy = z.strictObject({
  regions: z.union([z.enum(['majority', 'any', 'all']), z.int().min(1).max(100)]).optional(),
  retries: z.int().min(0).max(5).optional(),
});
const tag = oneLine(1, 50).refine((text) => !text.includes(','), 'Must not contain a comma');
const regionId = z.string().regex(/^[a-z0-9-]{2,32}$/, 'Must be the id of a region');

const target = z.string().trim().min(1, 'Target must not be empty').max(2048, 'Target must be at most 2048 characters').superRefine((text, check) => {
  const fault = httpTargetFault(text);
  if (fault !== null) check.addIssue({ code: 'custom', message: fault });
});

const optionalFields = {
  timeout_ms: z.int().min(1000, 'Timeout must be at least 1000 ms').max(60_000, 'Timeout must be at most 60000 ms').nullable().optional()
    .describe('Absent or null: the lower of 10000 and the interval.'),
  group_id: uuidParam.nullable().optional().describe('Null: in no group.'),
  tags: z.array(tag).max(20).transform(unique).optional(),
  monitoring_regions: z.array(regionId).max(1000).transform(unique).optional().describe('Ids of regions; empty means automatic.'),
  notification_target_ids: z.array(uuidParam).max(50).transform(unique).optional(),
  ssl_monitoring: sslMonitoring.nullable().optional(),
  domain_monitoring: domainMonitoring.nullable().optional(),
  confirmation_policy: confirmationPolicy.optional(),
  ...httpFields,
  expected_status_codes: codes,
  http_config: httpConfig.optional(),
};

/** What a read returns and nobody can set: ignored, so that an edited read can be sent back. */
const readOnlyFields = Object.fromEntries(
  ['id', 'organization_id', 'created_by', 'status', 'configState', 'runtimeStatus', 'created_at', 'updated_at', 'last_check_at', 'next_check_at', 'stats', 'group_name']
    .map((name) => [name, z.unknown().optional()]),
);

/** Bodies of create and update. `minIntervalSeconds` is the lowest interval the installation accepts. */
export function monitorInputs(minIntervalSeconds: number) {
  const interval = z.int().min(minIntervalSeconds, `Interval must be at least ${minIntervalSeconds} seconds`)
    .max(LONGEST_INTERVAL_SECONDS, `Interval must be at most ${LONGEST_INTERVAL_SECONDS} seconds`);
  const type = z.enum(MONITOR_TYPES).refine((name) => name === 'HTTP', 'Only HTTP monitors can be created so far');
  const name = oneLine(1, 255);
  return {
    create: z.strictObject({ ...readOnlyFields, name, type, target, interval_seconds: interval, ...optionalFields }),
    update: z.strictObject({
      ...readOnlyFields, name: name.optional(), type: z.enum(MONITOR_TYPES).optional(), target: target.optional(),
      interval_seconds: interval.optional(), ...optionalFields,
    }),
  };
}

type Inputs = ReturnType<typeof monitorInputs>;
export type CreateMonitorInput = z.infer<Inputs['create']>;
export type UpdateMonitorInput = z.infer<Inputs['update']>;
export type HttpInput = Pick<UpdateMonitorInput, keyof typeof httpFields | 'expected_status_codes' | 'http_config'>;

const commaList = (most: number) =>
  z.string().max(2000).transform((text) => text.split(',').map((part) => part.trim()).filter((part) => part !== '').slice(0, most));

export const monitorListQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 100, fallback: 50 }),
  offset: queryInt({ min: 0, fallback: 0 }),
  status: z.enum(['active', 'paused', 'disabled']).optional().describe('`paused` and `disabled` both mean: not active.'),
  type: z.enum(MONITOR_TYPES).optional(),
  types: commaList(50).optional().describe('Comma-separated; wins over `type`; unknown values are ignored.'),
  search: z.string().max(255, 'Search must be at most 255 characters').optional().describe('Literal, on name or target, case does not matter.'),
  group_id: uuidParam.optional(),
  tags: commaList(50).optional().describe('Comma-separated; any match.'),
  sort_by: z.enum(['created_at', 'updated_at', 'name', 'last_check_at']).default('created_at'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
});
export type MonitorListInput = z.infer<typeof monitorListQuery>;

/** Days by the names that `period` may have. */
export const PERIOD_DAYS: Readonly<Record<string, number>> = { '7d': 7, '30d': 30, '90d': 90 };
export const periodQuery = z.strictObject({ period: z.string().default('30d').meta({ enum: Object.keys(PERIOD_DAYS) }) });
