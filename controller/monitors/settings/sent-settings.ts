import { isDeepStrictEqual } from 'node:util';
import { NON_SECRET_HEADERS } from '../../../shared/contracts/check-spec.ts';
import { fieldError, validationError } from '../../http/input/validation.ts';

export type HttpAuth =
  | { type: 'basic'; username: string; password: string }
  | { type: 'bearer'; token: string };

/** The parts of a request that can contain credentials. */
interface Stored {
  headers: Record<string, string>;
  body: string | null;
  auth: HttpAuth | null;
}

/** Replaces values that the reader may not see. Sending it back keeps the stored value. */
export const CONCEALED = '***';

/** For field descriptions in the API reference. */
export const KEEPS_STORED_VALUE = '`***` keeps the stored value.';

/** Describes `concealed` in the API reference. */
export const CONCEALMENT = 'For API keys of the scope `read` and for viewers, credentials read `***`: the '
  + '`target` and `heartbeat_token` of a HEARTBEAT monitor, the user name, password and token in `auth`, the '
  + '`body`, the `send` of a TCP monitor, and the values of all `headers` except well-known ones that carry '
  + 'no credentials, such as `Accept`. Sending `***` back keeps the stored value.';

/** Conceals everything that may be a credential. Only NON_SECRET_HEADERS keep their values. */
export function concealed<Request extends Stored>(request: Request): Request {
  const { auth, body } = request;
  const headers = Object.entries(request.headers).map(([name, value]) =>
    [name, NON_SECRET_HEADERS.has(name.toLowerCase()) ? value : CONCEALED] as const);
  return {
    ...request, headers: Object.fromEntries(headers), body: body === null ? null : CONCEALED,
    auth: auth && concealedAuth(auth),
  };
}

function concealedAuth({ type }: HttpAuth): HttpAuth {
  return type === 'basic' ? { type, username: CONCEALED, password: CONCEALED } : { type, token: CONCEALED };
}

type Sent = { [Name in keyof Stored]?: Stored[Name] | undefined };

/**
 * Replaces CONCEALED by the current values. An empty body removes it, null keeps the current one. `at` is the
 * path in the request. Throws VALIDATION_ERROR for a CONCEALED without a stored value.
 */
export function revealed(sent: Sent, current: Stored | null, at: string[]) {
  const { headers, body, auth } = sent;
  return {
    headers: headers && revealedHeaders(headers, current?.headers ?? {}, [...at, 'headers']),
    body: revealedText(body, current?.body, [...at, 'body']),
    auth: auth && revealedAuth(auth, current?.auth ?? null, [...at, 'auth']),
  };
}

/** Returns undefined to keep the current text and null to remove it. */
export function revealedText(
  sent: string | null | undefined, current: string | null | undefined, at: string[],
): string | null | undefined {
  if (sent === CONCEALED) return storedIfConcealed(sent, current, at);
  return sent === '' ? null : (sent ?? undefined);
}

function revealedHeaders(sent: Stored['headers'], current: Stored['headers'], at: string[]) {
  const stored = new Map(Object.entries(current).map(([name, value]) => [name.toLowerCase(), value]));
  const all = Object.entries(sent).map(([name, value]) =>
    [name, storedIfConcealed(value, stored.get(name.toLowerCase()), [...at, name])] as const);
  return Object.fromEntries(all);
}

function revealedAuth(sent: HttpAuth, current: HttpAuth | null, at: string[]): HttpAuth {
  if (sent.type === 'bearer') {
    const token = current?.type === 'bearer' ? current.token : undefined;
    return { type: 'bearer', token: storedIfConcealed(sent.token, token, [...at, 'token']) };
  }
  const { username, password } = current?.type === 'basic' ? current : {};
  return {
    type: 'basic',
    username: storedIfConcealed(sent.username, username, [...at, 'username']),
    password: storedIfConcealed(sent.password, password, [...at, 'password']),
  };
}

/** Returns `stored` if `sent` is CONCEALED. Throws VALIDATION_ERROR if nothing is stored. */
export function storedIfConcealed(sent: string, stored: string | null | undefined, path: string[]): string {
  if (sent !== CONCEALED) return sent;
  if (typeof stored === 'string') return stored;
  const message = '*** keeps the stored value, but no value is stored';
  throw validationError([{ code: 'custom', path, message }]);
}

type Some<S> = { [Name in keyof S]?: S[Name] | undefined };

interface SettingsSources<S> {
  /** Name of the body field that nests these settings, for error paths. */
  config: string;
  /** Settings from each place in the body that can contain them. */
  sent: readonly Some<S>[];
  current: S | null;
  /** Undefined for settings that must be sent. */
  defaults: { [Name in keyof S]: S[Name] | undefined };
  /** Field names in `config` that differ from the names of the settings. */
  aliases?: { [Name in keyof S]?: string };
}

/**
 * Merges sent settings into the current ones or the defaults. If places in the body differ, a value that
 * repeats the current one loses, because an edited read looks like that. Null is a value. Throws
 * VALIDATION_ERROR for two different new values or a missing value.
 */
export function chooseSettings<S extends object>(sources: SettingsSources<S>): S {
  const { config, sent, current, defaults, aliases } = sources;
  const names = Object.keys(defaults) as (keyof S & string)[];
  return Object.fromEntries(names.map((name) => {
    const path = `${config}.${aliases?.[name] ?? name}`;
    const values: unknown[] = [current?.[name]];
    for (const { [name]: value } of sent) {
      if (value !== undefined && !values.some((one) => isDeepStrictEqual(one, value))) values.push(value);
    }
    if (values.length > 2) throw fieldError(path, 'Given twice with different values');
    const value = values.at(-1) === undefined ? defaults[name] : values.at(-1);
    if (value === undefined) throw fieldError(path, 'Required');
    return [name, value];
  })) as S;
}
