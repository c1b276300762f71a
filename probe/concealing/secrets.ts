import {
  type CheckSpec, type HttpSpec, isSpecOf, type KeywordSpec, NON_SECRET_HEADERS,
} from '../../shared/contracts/check-spec.ts';
import { parsedUrl } from '../../shared/net-guard.ts';

/** Shorter strings would match in every text. */
const MIN_LENGTH = 4;
const MIN_NUMBER_LENGTH = 6;
/** Everyone who can see the monitor sees its URL, so short query values don't count as secrets. */
const MIN_QUERY_LENGTH = 8;
/** Beyond these, searching takes too long. */
const LIMITS = { count: 256, characters: 100_000 } as const;

/**
 * The possible secrets a check sends: secret variables, header values, user name and password, query values,
 * body and TCP data, as a whole and in parts. Null if there are too many to search for.
 */
export function secretsOf(spec: CheckSpec): string[] | null {
  const secrets = new Set<string>();
  const add = (text: string, minLength = MIN_LENGTH): void => {
    const secret = text.trim();
    if (secret.length >= minLength) secrets.add(secret);
  };
  for (const secret of declaredSecrets(spec)) {
    secrets.add(secret);
    for (const form of formsOf(secret)) add(form, 1);
  }
  if (isSpecOf(spec, 'HTTP') || isSpecOf(spec, 'KEYWORD')) addRequest(spec, add);
  if (isSpecOf(spec, 'TCP') && spec.send !== null) addSent(spec.send, add);
  const all = [...secrets];
  const characters = all.reduce((sum, secret) => sum + secret.length, 0);
  return all.length > LIMITS.count || characters > LIMITS.characters ? null : all;
}

/** The values of secret variables, whatever their length. */
export function declaredSecrets({ secrets }: CheckSpec): string[] {
  return Array.isArray(secrets) ? secrets.filter((one) => typeof one === 'string' && one !== '') : [];
}

/** The value as it may be sent and repeated, with the parts of one that is a host or URL. */
function formsOf(secret: string): string[] {
  const path = parsedUrl(`http://h/${secret}`)?.href.slice('http://h/'.length);
  const query = parsedUrl(`http://h/?${secret}`)?.search.slice(1);
  const host = /^[^/?#@\\]+$/.test(secret) ? parsedUrl(`http://${secret}`)?.hostname : undefined;
  const url = /^https?:/i.test(secret) ? parsedUrl(secret) : null;
  const parts = url === null
    ? []
    : [url.hostname, url.pathname, ...url.pathname.split('/'), ...url.searchParams.values()]
      .filter((part) => part.length >= MIN_QUERY_LENGTH);
  const forms = [secret, path, query, host, unescaped(secret), unescaped(secret.replaceAll('+', ' ')), ...parts];
  return forms.filter((form) => form !== undefined);
}

type Add = (text: string, minLength?: number) => void;

function addEach(texts: Iterable<string>, add: Add): void {
  for (const text of texts) add(text);
}

function addRequest({ url, headers, body }: HttpSpec | KeywordSpec, add: Add): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!NON_SECRET_HEADERS.has(name.toLowerCase())) addHeader(value, add);
  }
  if (body !== null) addBody(body, add);
  const parsed = parsedUrl(url);
  if (parsed === null) return;
  const { username, password, search, searchParams } = parsed;
  addEach([username, password, unescaped(username), unescaped(password)], add);
  const minLengthOf = (name: string): number => (isCredentialName(name) ? MIN_LENGTH : MIN_QUERY_LENGTH);
  for (const [name, value] of searchParams) add(value, minLengthOf(name));
  for (const [name = '', value = ''] of search.slice(1).split('&').map((pair) => pair.split(/=(.*)/s))) {
    add(value, minLengthOf(name));
  }
}

/** The value, also without its scheme (`Bearer`), decoded user name and password, and cookie values. */
function addHeader(value: string, add: Add): void {
  add(value);
  const [, scheme = '', rest = ''] = /^([A-Za-z-]+)\s+(.*)$/s.exec(value.trim()) ?? [];
  const text = rest === '' ? value : rest;
  if (/^basic$/i.test(scheme)) {
    const pair = Buffer.from(rest, 'base64').toString();
    addEach([pair, ...pair.split(/:(.*)/s)], add);
  }
  addParts(text, /[\s;,]+/, add);
}

/** Possible secrets in a body, and the words of one that isn't JSON. */
function addSent(text: string, add: Add): void {
  addBody(text, add);
  if (parsedJson(text) !== undefined) return;
  for (const separator of [/[\s\p{Cc}]+/u, /[\s\p{Cc};,&?"'<>]+/u]) addParts(text, separator, add);
}

/** Also the values of `name=value` and `name:value`. */
function addParts(text: string, separator: RegExp, add: Add): void {
  for (const part of text.split(separator)) {
    add(part);
    const from = part.search(/[=:]/) + 1;
    if (from > 0) add(part.slice(from).replace(/^"|"$/g, ''));
  }
}

/** The whole, and values of JSON and forms; for other texts each line, XML text and quoted text. */
function addBody(body: string, add: Add): void {
  add(body);
  const json = parsedJson(body);
  if (json !== undefined) return addValues(json, add);
  if (/^[^\s=&<]+=/.test(body)) {
    addEach(new URLSearchParams(body).values(), add);
    addEach(body.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1)), add);
    return;
  }
  addEach([...body.split(/[\r\n]+/), ...body.split(/[<>]/), ...body.split(/["']/)], add);
}

function addValues(json: unknown, add: Add): void {
  const left: unknown[] = [json];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'object' && value !== null) left.push(...Object.values(value));
    else if (typeof value === 'string') add(value);
    else if (typeof value === 'number') add(String(value), MIN_NUMBER_LENGTH);
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Percent-decoded; unchanged if that fails. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parts of names, ignoring case, whose value is a credential. `authorization` matches; `author` doesn't. */
const PARTS = new RegExp([
  'auth(?!or(?!i))', 'token', 'secret', 'passw', 'passphrase', 'passcode', 'apikey', 'accesskey', 'privatekey',
  'session', 'signature', 'credential', 'cookie', 'jwt', 'csrf', 'xsrf', 'bearer',
  // Only as whole words, because many other words contain them.
  '(?:^|[-_.])(?:key|pass|pwd|pw|sid|sig|pin|otp)(?:$|[-_.])',
].join('|'), 'i');
/** The same words in camel case, as in `apiKey` and `userPin`. */
const CAMEL_CASE_PART = /[a-z\d](?:Key|Pass|Pwd|Pw|Sid|Sig|Pin|Otp)(?![a-z])/;
/** A longer name is ordinary text. */
const MAX_NAME_LENGTH = 100;

/**
 * Whether a header, parameter, form field or JSON field is a credential by its name: `Set-Cookie`,
 * `X-Api-Key`, `accessToken`, `user_password`, `sid`.
 */
export function isCredentialName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && (PARTS.test(name) || CAMEL_CASE_PART.test(name));
}
