import { z } from 'zod';
import type { HttpSpec } from '../../../shared/contracts/check-spec.ts';
import { characters, fieldError } from '../../http/input/validation.ts';
import { httpTargetFault } from '../target.ts';
import { hasPlaceholder } from './placeholders.ts';
import { chooseSettings, concealed, type HttpAuth, KEEPS_STORED_VALUE, revealed } from './sent-settings.ts';
import type { CheckType, FieldsOf } from './registry.ts';
import { HEADER_NAMES, headerFaults, headerValue, MAX_VALUE_LENGTH } from './header-rules.ts';
import {
  expectationResponseFields, expectationFields, expectationSpec, NO_EXPECTATIONS, wantsBody,
  type HttpExpectations,
} from './http-expectations.ts';

const method = z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const request = z.strictObject({
  method,
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  follow_redirects: z.boolean(),
  max_redirects: z.int(),
  verify_ssl: z.boolean(),
  /** Accepted status codes; empty means 200 to 299. */
  expected_status: z.array(z.int()),
});
const slowResponseAction = z.enum(['degraded', 'down']);
const shownAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: z.string(), password: z.string() }),
  z.strictObject({ type: z.literal('bearer'), token: z.string() }),
]);

export const httpResponseFields = {
  ...request.partial().shape,
  slow_response_threshold_ms: z.int().optional(),
  slow_response_action: slowResponseAction.optional(),
  auth: shownAuth.optional(),
  ...expectationResponseFields,
};

/** The request of an HTTP or KEYWORD monitor. Defaults are filled in when the monitor is created. */
export type HttpSettings = z.infer<typeof request> & HttpExpectations & {
  slow_response_threshold_ms: number | null;
  /** Null means `degraded`. */
  slow_response_action: z.infer<typeof slowResponseAction> | null;
  auth: HttpAuth | null;
};

export const HTTP_DEFAULTS: HttpSettings = {
  method: 'GET', headers: {}, body: null, follow_redirects: true, max_redirects: 5, verify_ssl: true,
  expected_status: [], slow_response_threshold_ms: null, slow_response_action: null, auth: null,
  ...NO_EXPECTATIONS,
};

const headers = z.record(z.string(), headerValue(MAX_VALUE_LENGTH)).superRefine((value, check) => {
  for (const { name, message } of headerFaults(value)) {
    check.addIssue({ code: 'custom', path: name === '' ? [] : [name], message });
  }
}).meta(HEADER_NAMES).describe(KEEPS_STORED_VALUE);
const credential = characters(1000)
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters')
  .meta({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' });
const username = credential.refine((text) => !text.includes(':'), 'Must not contain a colon')
  .meta({ pattern: '^[^:\\u0000-\\u001f\\u007f-\\u009f]*$' });
const token = z.string().max(4000).regex(/^[\x21-\x7e]+$/, 'Must be printable ASCII without spaces');
const sentAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username, password: credential }),
  z.strictObject({ type: z.literal('bearer'), token }),
]).describe('`***` as username, password or token keeps the stored one.');
const codes = z.array(z.int().min(100).max(599)).max(100).transform((sent) => [...new Set(sent)]).optional()
  .describe('Accepted status codes; if there are no ranges either, empty means 200 to 299.');

const flatFields = {
  method: method.optional(),
  headers: headers.optional(),
  body: characters(65_536).nullable().optional()
    .describe('`***` or null keeps the stored body; an empty string removes it.'),
  follow_redirects: z.boolean().optional(),
  max_redirects: z.int().min(0).max(10).optional(),
  verify_ssl: z.boolean().optional(),
  expected_status: codes,
  slow_response_threshold_ms: z.int().min(1).max(60_000).meta({ 'x-unit': 'ms' }).nullable().optional(),
  slow_response_action: slowResponseAction.nullable().optional().describe('What a response slower than the '
    + 'threshold means: the monitor is degraded, or the check has failed. Default, also for null: `degraded`.'),
  auth: sentAuth.nullable().optional(),
  expected_status_codes: codes,
  ...expectationFields,
};
const { expected_status: _alias, ...nestedFields } = flatFields;

export const httpFields = { ...flatFields, http_config: z.strictObject(nestedFields).nullable().optional() };
export type HttpInput = FieldsOf<typeof httpFields>;
export interface HttpOwn {
  http: HttpSettings | null;
}

export const httpType: CheckType<HttpInput, HttpOwn> = {
  fields: Object.keys(httpFields),
  resolve: (input, current) => {
    const target = httpTarget(input.target, current?.target);
    return { target, http: resolveHttpSettings(input, current?.http ?? null) };
  },
  view: ({ http }, isConcealed) => {
    const stored = http ?? HTTP_DEFAULTS;
    const { slow_response_threshold_ms: threshold, slow_response_action: action, auth, ...settings } =
      isConcealed ? concealed(stored) : stored;
    return {
      slow_response_threshold_ms: threshold ?? undefined, slow_response_action: action ?? undefined,
      auth: auth ?? undefined, ...settings,
      ...viewExpectations(stored),
    };
  },
  toSpec: (doc) => ({ type: 'HTTP', ...requestSpec(doc) }),
};

export function viewExpectations(set: HttpExpectations): FieldsOf<typeof expectationResponseFields> {
  return {
    expected_status_ranges: set.expected_status_ranges ?? undefined, ip_family: set.ip_family ?? undefined,
    connect_to: set.connect_to ?? undefined, assertions: set.assertions ?? undefined,
  };
}

/** The sent target, else the current one. Throws VALIDATION_ERROR. */
export function httpTarget(sent: string | undefined, current: string | undefined): string {
  const fault = sent === undefined || sent === current ? null : httpTargetFault(sent);
  if (fault !== null && !hasPlaceholder(sent ?? '')) throw fieldError('target', fault);
  return sent ?? current ?? '';
}

/**
 * `further` are expectations from another place in the body. Throws VALIDATION_ERROR for two different new
 * values, two kinds of authorization, `***` without a stored value, and body assertions on HEAD requests.
 */
export function resolveHttpSettings(
  input: HttpInput, current: HttpSettings | null, further: Partial<HttpExpectations> = {},
): HttpSettings {
  const { expected_status_codes: flatCodes } = input;
  const { expected_status_codes: nestedCodes, ...nested } = input.http_config ?? {};
  const settings = chooseSettings<HttpSettings>({
    config: 'http_config', aliases: { expected_status: 'expected_status_codes' },
    sent: [
      { ...input, ...revealed(input, current, []) },
      { expected_status: flatCodes },
      { ...nested, ...revealed(nested, current, ['http_config']), expected_status: nestedCodes },
      further,
    ],
    current, defaults: HTTP_DEFAULTS,
  });
  const names = Object.keys(settings.headers).map((name) => name.toLowerCase());
  if (settings.auth !== null && names.includes('authorization')) {
    throw fieldError('auth', 'Cannot be combined with an Authorization header');
  }
  if (settings.method === 'HEAD' && wantsBody(settings)) {
    throw fieldError('assertions', 'The response to a HEAD request has no body to check');
  }
  return settings;
}

/** The request as probes send it, with the authorization as a header. */
export function requestSpec({ target, http }: { target: string } & HttpOwn): Omit<HttpSpec, 'type'> {
  const { auth, headers: sent, ...settings } = http ?? HTTP_DEFAULTS;
  const { expected_status_ranges, ip_family, connect_to, assertions, ...request } = settings;
  const { slow_response_action, ...plain } = request;
  const authorized = auth === null ? sent : { ...sent, authorization: authorization(auth) };
  const expected = expectationSpec({ expected_status_ranges, ip_family, connect_to, assertions });
  const failing = slow_response_action === 'down' ? { slow_response_action } : {};
  return { url: target, ...plain, headers: authorized, ...expected, ...failing };
}

function authorization(auth: HttpAuth): string {
  if (auth.type === 'bearer') return `Bearer ${auth.token}`;
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`, 'utf8').toString('base64')}`;
}
