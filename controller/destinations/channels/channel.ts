import type { z } from 'zod';
import type { AlertDetails } from './alert.ts';
import type { AlertContent } from './alert-content.ts';

/** An alert on its way to one recipient of a destination. */
export interface Outgoing<Config> {
  config: Config;
  alert: AlertDetails;
  content: AlertContent;
  /** Public URL of the API, without a trailing slash. */
  baseUrl: string;
  /** One of the destination's recipients. */
  recipient: string;
  /** The same for every attempt. */
  deliveryId: string;
  attemptId: string;
  /** Signing secret; empty unless the channel is signed. */
  secret: string;
  /** Unix ms. */
  now: number;
}

export interface ChannelRequest {
  url: string;
  /** Default: POST. */
  method?: 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string;
}

/** How exports mask a field that project admins read: a URL after its host, or the values of headers. */
export type PrivateKind = 'path' | 'headers';

export interface ChannelResponse {
  status: number;
  retryAfterMs: number | null;
}

/** `retryAfterMs`: the delay that the receiver asked for. */
export type ResponseClass =
  | { kind: 'sent' }
  | { kind: 'dead'; reason: string }
  | { kind: 'retry'; reason: string; retryAfterMs?: number };

/** What every type of destination has. Its fields mark their secrets, see `fields.ts`. */
export interface ChannelSettings<Config extends object> {
  /** Name for people. */
  label: string;
  /** Where people find the values, in one sentence. */
  help: string;
  /** The vendor's own domains: another type refuses URLs of these and of their subdomains. */
  domains: readonly string[];
  config: z.ZodType<Config>;
  /** The field with the URL that deliveries connect to. */
  address?: keyof Config & string;
  /** Contains no secret, so its URL may be `http:`. */
  isPlain?: boolean;
  /** Each gets a delivery of its own. Default: one delivery for the destination. */
  recipients?(config: Config): string[];
  /** How the log shows the recipient. Default: the destination's name. */
  shownAs?(config: Config): string;
  /** Fields that exports mask, although project admins read them. */
  concealed?: Partial<Record<keyof Config & string, PrivateKind>>;
  /** The config as clients send it, if it is stored differently. */
  view?(config: Config): object;
}

/** A type of destination that receives HTTP requests. */
export interface Channel<Config extends object> extends ChannelSettings<Config> {
  /** Its requests are signed with a secret of the destination. */
  isSigned?: boolean;
  /** It has a state for each incident, and learns what people do to one. */
  tracksIncidents?: boolean;
  /** It sends one alert for each monitor unless the user chooses otherwise. */
  isUngrouped?: boolean;
  /** It forgets alerts that are not sent again while their incident is open. */
  isRepeated?: boolean;
  /** Paths in the body, such as `embeds.0.text`, of what people read. Default: the body is for programs. */
  texts?: readonly string[];
  render(outgoing: Outgoing<Config>): ChannelRequest;
  /** Default: `classify`. */
  classify?(response: ChannelResponse): ResponseClass;
}

/** Infers the type of `config` from its schema. */
export function defineChannel<Schema extends z.ZodObject>(
  channel: Channel<z.output<Schema>> & { config: Schema },
): Channel<z.output<Schema>> & { config: Schema } {
  return channel;
}

/** Retries a 5xx. Only the owner can fix a 4xx or a redirect. */
export function classifyStrictly({ status }: ChannelResponse): ResponseClass {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const hint = status >= 300 && status < 400 ? ': redirects are not followed' : '';
  const reason = `the receiver responded with status ${status}${hint}`;
  return { kind: status >= 500 ? 'retry' : 'dead', reason };
}

/** Like `classifyStrictly`, but retries a 429, with which vendors ask for a later retry. */
export function classify(response: ChannelResponse): ResponseClass {
  const strict = classifyStrictly(response);
  if (response.status !== 429 || strict.kind === 'sent') return strict;
  return { kind: 'retry', reason: strict.reason, retryAfterMs: response.retryAfterMs ?? 0 };
}

export function jsonRequest(
  url: string, body: unknown, headers: Record<string, string> = {},
): ChannelRequest {
  return { url, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function formRequest(
  url: string, fields: Record<string, string>, headers: Record<string, string> = {},
): ChannelRequest {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return { url, headers: { ...type, ...headers }, body: new URLSearchParams(fields).toString() };
}

/** `path` below a base URL, with or without a trailing slash. */
export function below(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/, '') + path;
}

/** What the alert is about: of its links, the first that is the same for all recipients. */
export function sourceUrl({ links }: AlertContent): string | undefined {
  return links.find(({ label }) => label !== 'Acknowledge')?.url;
}
