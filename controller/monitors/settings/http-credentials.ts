import { OPEN_HEADERS } from '../../../shared/contracts/check-spec.ts';
import { validationError } from '../../http/validation.ts';

export type HttpAuth =
  | { type: 'basic'; username: string; password: string }
  | { type: 'bearer'; token: string };

/** The parts of a request that can carry credentials. */
interface Stored {
  headers: Record<string, string>;
  body: string | null;
  auth: HttpAuth | null;
}

/** The same for readers who may not see credentials: null is a hidden one. It may be sent back. */
interface Concealed {
  headers: Record<string, string | null>;
  body: string | null;
  auth:
    | { type: 'basic'; username: string | null; password: string | null }
    | { type: 'bearer'; token: string | null }
    | null;
}

/** What `concealed` says, for the API reference. */
export const CONCEALMENT = 'For API keys of the scope `read` and for viewers, credentials are `null`: the '
  + '`target` and `heartbeat_token` of a HEARTBEAT monitor, the user name, password and token in `auth`, the '
  + '`body`, the `send` of a TCP monitor, and the values of all `headers` except well-known ones that carry no credentials, such as '
  + '`Accept`. Sending such a `null` back keeps the stored value.';

/** Without what may be a credential. Of the headers, everybody sees the values of OPEN_HEADERS. */
export function concealed<Request extends Stored>(request: Request): Omit<Request, keyof Stored> & Concealed {
  const { auth } = request;
  const headers = Object.entries(request.headers).map(([name, value]) =>
    [name, OPEN_HEADERS.has(name.toLowerCase()) ? value : null] as const);
  return { ...request, headers: Object.fromEntries(headers), body: null, auth: auth && concealedAuth(auth) };
}

function concealedAuth({ type }: HttpAuth): Concealed['auth'] {
  return type === 'basic' ? { type, username: null, password: null } : { type, token: null };
}

type Sent = { [Name in keyof Concealed]?: Concealed[Name] | undefined };

/**
 * What was sent, with the current values in place of nulls; an empty body stands for none. `at` is the place
 * in the request. Throws VALIDATION_ERROR for a null that stands for nothing.
 */
export function revealed(sent: Sent, current: Stored | null, at: string[]) {
  const { headers, body, auth } = sent;
  return {
    headers: headers && revealedHeaders(headers, current?.headers ?? {}, [...at, 'headers']),
    body: body === null ? undefined : body === '' ? null : body,
    auth: auth && revealedAuth(auth, current?.auth ?? null, [...at, 'auth']),
  };
}

function revealedHeaders(sent: Concealed['headers'], current: Stored['headers'], at: string[]) {
  const stored = new Map(Object.entries(current).map(([name, value]) => [name.toLowerCase(), value]));
  const all = Object.entries(sent).map(([name, value]) =>
    [name, value ?? known(stored.get(name.toLowerCase()), [...at, name])] as const);
  return Object.fromEntries(all);
}

function revealedAuth(sent: NonNullable<Concealed['auth']>, current: HttpAuth | null, at: string[]): HttpAuth {
  if (sent.type === 'bearer') {
    const token = current?.type === 'bearer' ? current.token : undefined;
    return { type: 'bearer', token: sent.token ?? known(token, [...at, 'token']) };
  }
  const { username, password } = current?.type === 'basic' ? current : {};
  return {
    type: 'basic',
    username: sent.username ?? known(username, [...at, 'username']),
    password: sent.password ?? known(password, [...at, 'password']),
  };
}

function known(value: string | undefined, path: string[]): string {
  if (value !== undefined) return value;
  const message = 'Null keeps the stored value, but there is none';
  throw validationError([{ code: 'custom', path, message }]);
}
