import { z } from 'zod';
import { parseRegistryDate } from './registry-date.ts';
import { type RegistrationResult, sanitizeName } from './domain.ts';

/** Limit of events and entities that are read. */
const MAX_PARTS = 100;

const domainObject = z.object({
  objectClassName: z.literal('domain'),
  events: z.array(z.unknown()).default([]).catch([]),
  entities: z.array(z.unknown()).default([]).catch([]),
});
const event = z.object({ eventAction: z.string(), eventDate: z.string() });
/** A jCard property (RFC 7095): name, parameters, type, value. */
const cardName = z.tuple([z.literal('fn'), z.unknown(), z.unknown(), z.string()]);
const entity = z.object({
  roles: z.array(z.unknown()),
  vcardArray: z.tuple([z.literal('vcard'), z.array(z.unknown())]),
});

/** Reads an RDAP domain response (RFC 9083). */
export function readRdap(body: Buffer): RegistrationResult {
  const read = domainObject.safeParse(parseJson(body));
  if (!read.success) return undefined;
  const { events, entities } = read.data;
  const dates = validParts(event, events).flatMap(({ eventAction, eventDate }) =>
    (eventAction.toLowerCase() === 'expiration' ? parseRegistryDate(eventDate) ?? [] : []));
  const registrars = validParts(entity, entities).filter(({ roles }) => roles.includes('registrar'));
  const names = registrars.flatMap(({ vcardArray: [, card] }) =>
    validParts(cardName, card).flatMap(([, , , name]) => sanitizeName(name) ?? []));
  return { expires_at: dates[0] ?? null, registrar: names[0] ?? null };
}

const list = z.object({
  services: z.array(z.tuple([z.array(z.string().max(63)), z.array(z.string().max(300))])).min(1).max(5000),
});

/** The RDAP server of some top-level domains. */
export interface RdapServer {
  tlds: string[];
  /** Ends with a slash. */
  url: string;
}

/** Reads IANA's list of RDAP servers (RFC 9224); null if the body is not one. Prefers `https:` addresses. */
export function readRdapServers(body: Buffer): RdapServer[] | null {
  const read = list.safeParse(parseJson(body));
  if (!read.success) return null;
  return read.data.services.flatMap(([tlds, urls]) => {
    const url = urls.find((one) => one.startsWith('https://')) ?? urls.find((one) => one.startsWith('http://'));
    return url === undefined ? [] : [{ tlds: tlds.map((tld) => tld.toLowerCase()), url: url.replace(/\/?$/, '/') }];
  });
}

function validParts<T>(schema: z.ZodType<T>, parts: unknown[]): T[] {
  return parts.slice(0, MAX_PARTS).flatMap((part) => {
    const read = schema.safeParse(part);
    return read.success ? [read.data] : [];
  });
}

/** Undefined if it is not JSON. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
