import { isDeepStrictEqual } from 'node:util';
import { fieldError } from '../http/validation.ts';
import type { HttpSettings } from './monitor.ts';
import type { HttpInput } from './schema.ts';

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

/**
 * The settings after `input`, over those of `current` (a new monitor has none: the defaults). A setting may stand at the top
 * level, in `http_config` or in both; where they differ, one that only repeats the current value gives way, since that is what
 * an edited read looks like. Throws VALIDATION_ERROR for two different new values and for two kinds of authorization.
 */
export function resolveHttpSettings(input: HttpInput, current: HttpSettings | null): HttpSettings {
  const nested = input.http_config ?? {};
  const pick = <K extends keyof HttpSettings>(name: K, ...given: (HttpSettings[K] | undefined)[]): HttpSettings[K] => {
    const [first, ...others] = newValues(given, current?.[name]);
    if (others.length > 0) throw fieldError(`http_config.${name}`, 'Given twice with different values');
    return first === undefined ? (current ?? HTTP_DEFAULTS)[name] : first;
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

/** What was given, each value once, without those that repeat the current one. Null is a value, undefined is none. */
function newValues<T>(given: (T | undefined)[], current: T | undefined): T[] {
  const values: T[] = [];
  for (const value of given) {
    if (value === undefined || isDeepStrictEqual(value, current) || values.some((one) => isDeepStrictEqual(one, value))) continue;
    values.push(value);
  }
  return values;
}
