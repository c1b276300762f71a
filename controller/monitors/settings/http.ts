import { z } from 'zod';
import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/validation.ts';
import { httpTargetFault } from '../target.ts';
import { chosen } from './chosen.ts';
import { headerFaults } from './header-rules.ts';
import type { CheckType, FieldsOf } from './check-type.ts';

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export type HttpAuth = { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string };

/** Request settings of an HTTP or KEYWORD monitor, complete: defaults are filled in when it is created. */
export interface HttpSettings {
  method: (typeof HTTP_METHODS)[number];
  headers: Record<string, string>;
  body: string | null;
  follow_redirects: boolean;
  max_redirects: number;
  verify_ssl: boolean;
  /** Accepted status codes; empty means 200 to 299. */
  expected_status: number[];
  slow_response_threshold_ms: number | null;
  auth: HttpAuth | null;
}

export const HTTP_DEFAULTS: HttpSettings = {
  method: 'GET',
  headers: {},
  body: null,
  follow_redirects: true,
  max_redirects: 5,
  verify_ssl: true,
  expected_status: [],
  slow_response_threshold_ms: null,
  auth: null,
};

const headers = z.record(z.string(), z.string()).superRefine((value, check) => {
  for (const { name, message } of headerFaults(value)) check.addIssue({ code: 'custom', path: name === '' ? [] : [name], message });
});
const credential = z.string().max(1000).regex(/^[^\p{Cc}]*$/u, 'Must not contain control characters');
const httpAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: credential.regex(/^[^:]*$/, 'Must not contain a colon'), password: credential }),
  z.strictObject({ type: z.literal('bearer'), token: z.string().max(4000).regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces') }),
]);
const statusCodes = z.array(z.int().min(100).max(599)).max(100).transform((codes) => [...new Set(codes)]);

/** As they stand at the top level of a monitor; a read returns them so. */
const flatFields = {
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
const { expected_status: codes, ...sharedFields } = flatFields;

/** HTTP and KEYWORD in bodies of create and update. */
export const httpFields = {
  ...flatFields,
  expected_status_codes: codes,
  http_config: z.strictObject({ ...sharedFields, expected_status_codes: codes }).nullable().optional(),
};
export type HttpInput = FieldsOf<typeof httpFields>;

/** HTTP and KEYWORD in answers. */
export const httpAnswer = {
  method: z.enum(HTTP_METHODS).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().nullable().optional(),
  follow_redirects: z.boolean().optional(),
  max_redirects: z.int().optional(),
  verify_ssl: z.boolean().optional(),
  expected_status: z.array(z.int()).optional(),
  slow_response_threshold_ms: z.int().optional(),
  auth: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('basic'), username: z.string(), password: z.string() }),
      z.strictObject({ type: z.literal('bearer'), token: z.string() }),
    ])
    .optional(),
};

export const httpType: CheckType<HttpInput> = {
  fields: Object.keys(httpFields),
  resolve: (input, current) => ({ target: httpTarget(input.target, current?.target), http: resolveHttpSettings(input, current?.http ?? null) }),
  view: (doc) => (doc.http === null ? {} : viewHttp(doc.http)),
  toSpec: (doc) => ({ type: 'HTTP', ...requestSpec(doc.target, doc.http ?? HTTP_DEFAULTS) }),
};

/** The target that was sent, else the current one. Throws VALIDATION_ERROR. */
export function httpTarget(sent: string | undefined, current: string | undefined): string {
  const fault = sent === undefined || sent === current ? null : httpTargetFault(sent);
  if (fault !== null) throw fieldError('target', fault);
  return sent ?? current ?? '';
}

/**
 * The settings after `input`, over those of `current` (a new monitor has none: the defaults). A setting may stand at the top
 * level, in `http_config` or in both. Throws VALIDATION_ERROR for two different new values and for two kinds of authorization.
 */
export function resolveHttpSettings(input: HttpInput, current: HttpSettings | null): HttpSettings {
  const nested = input.http_config ?? {};
  const pick = <K extends keyof HttpSettings>(name: K, ...given: (HttpSettings[K] | undefined)[]): HttpSettings[K] => {
    const value = chosen(`http_config.${name === 'expected_status' ? 'expected_status_codes' : name}`, current?.[name], given);
    return value === undefined ? HTTP_DEFAULTS[name] : value;
  };
  const settings: HttpSettings = {
    method: pick('method', input.method, nested.method),
    headers: pick('headers', input.headers, nested.headers),
    body: pick('body', input.body, nested.body),
    follow_redirects: pick('follow_redirects', input.follow_redirects, nested.follow_redirects),
    max_redirects: pick('max_redirects', input.max_redirects, nested.max_redirects),
    verify_ssl: pick('verify_ssl', input.verify_ssl, nested.verify_ssl),
    expected_status: pick('expected_status', input.expected_status, input.expected_status_codes, nested.expected_status_codes),
    slow_response_threshold_ms: pick('slow_response_threshold_ms', input.slow_response_threshold_ms, nested.slow_response_threshold_ms),
    auth: pick('auth', input.auth, nested.auth),
  };
  if (settings.auth !== null && Object.keys(settings.headers).some((name) => name.toLowerCase() === 'authorization')) {
    throw fieldError('auth', 'Cannot be combined with an Authorization header');
  }
  return settings;
}

export function viewHttp(http: HttpSettings) {
  const { slow_response_threshold_ms: threshold, auth, ...settings } = http;
  return { slow_response_threshold_ms: threshold ?? undefined, auth: auth ?? undefined, ...settings };
}

/** The request that a probe sends, its authorization among the headers. */
export function requestSpec(url: string, http: HttpSettings): Omit<HttpSpec, 'type'> {
  const { auth, headers: sent, ...settings } = http;
  return { url, ...settings, headers: auth === null ? sent : { ...sent, authorization: authorization(auth) } };
}

function authorization(auth: HttpAuth): string {
  if (auth.type === 'bearer') return `Bearer ${auth.token}`;
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`, 'utf8').toString('base64')}`;
}
