import { isIP, isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { endpointOf, parsedUrl } from './net-guard.ts';

const DNS_PORT = 53;

/** Types of settings: each parses text from the environment into a typed value and has one error message. */
export const setting = {
  integer: (min: number, max: number) => textThat(
    (text) => /^-?\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
    `must be a whole number from ${min} to ${max}`,
  ).transform(Number),

  boolean: () => textThat((text) => /^(true|false|1|0)$/.test(text), 'must be true or false')
    .transform((text) => text === 'true' || text === '1'),

  choice: <const Choice extends string>(choices: readonly [Choice, ...Choice[]]) =>
    z.enum(choices, { error: `must be one of ${choices.join(', ')}` }),

  text: () => z.string(),

  /** A URL with a host and one of the `schemes` (given without a colon). */
  url: (...schemes: string[]) => textThat(
    (text) => hasScheme(text, schemes),
    `must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  ),

  /** Host name or IP address, without a port. */
  host: () => textThat(
    (text) => /^[A-Za-z0-9._-]+$/.test(text) || isIPv6(text),
    'must be a host name or an IP address without a port',
  ),

  /** `host:port` or `[v6]:port`. */
  hostAndPort: (example: string) => textThat(
    (text) => splitHostAndPort(text) !== null, `must be host:port, for example ${example}`,
  ).transform((text) => splitHostAndPort(text) as HostAndPort),

  /** Up to `max` endpoints, each `host:port` or an http(s) URL, separated by commas. */
  endpoints: (max: number) => textThat(
    (text) => endpointsOf(text).length <= max && endpointsOf(text).every((endpoint) => endpoint !== null),
    `must be up to ${max} of host:port or addresses that start with http:// or https://, `
      + 'separated by commas',
  ).transform((text) => endpointsOf(text) as HostAndPort[]),

  /** Up to `max` name server addresses, with an optional port (default 53), separated by commas. */
  nameServers: (max: number) => textThat(
    (text) => partsOf(text).length <= max && partsOf(text).every((part) => nameServerOf(part) !== null),
    `must be up to ${max} IP addresses with or without a port, such as 192.0.2.1 or [2001:db8::1]:5353, `
      + 'separated by commas',
  ).transform((text) => partsOf(text).map((part) => nameServerOf(part) as HostAndPort)),

  /** Up to `max` CIDR ranges, separated by commas. */
  ranges: (max: number) => textThat(
    (text) => partsOf(text).length <= max && partsOf(text).every(isRange),
    `must be up to ${max} ranges such as 10.0.0.0/8 or fd00::/8, separated by commas`,
  ).transform(partsOf),
} as const;

function textThat(isValid: (text: string) => boolean, message: string): z.ZodString {
  return z.string().refine(isValid, { message });
}

export interface HostAndPort {
  host: string;
  port: number;
}

function partsOf(text: string): string[] {
  return text.split(',').map((part) => part.trim()).filter((part) => part !== '');
}

function isRange(text: string): boolean {
  const [, base = '', bits] = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  return (isIPv4(base) && Number(bits) <= 32) || (isIPv6(base) && Number(bits) <= 128);
}

function endpointsOf(text: string): (HostAndPort | null)[] {
  return partsOf(text).map((part) => splitHostAndPort(part) ?? endpointOfUrl(part));
}

function endpointOfUrl(text: string): HostAndPort | null {
  const url = hasScheme(text, ['http', 'https']) ? parsedUrl(text) : null;
  return url === null ? null : endpointOf(url);
}

function splitHostAndPort(text: string): HostAndPort | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host && port >= 1 && port <= 65_535 ? { host, port } : null;
}

function nameServerOf(text: string): HostAndPort | null {
  if (isIP(text) !== 0) return { host: text, port: DNS_PORT };
  const parts = splitHostAndPort(text);
  return parts !== null && isIP(parts.host) !== 0 ? parts : null;
}

function hasScheme(text: string, schemes: string[]): boolean {
  const start = /^([a-z+]+):\/\/[^\s/]+/.exec(text)?.[1];
  return start !== undefined && schemes.includes(start) && !/\s/.test(text);
}
