import { z } from 'zod';
import { publishedDate } from './published-date.ts';
import { publishedName, type ReadRegistration } from './registration.ts';

/** Events and entities beyond are not read. */
const MOST_PARTS = 100;

const domainObject = z.object({
  objectClassName: z.literal('domain'),
  events: z.array(z.unknown()).default([]).catch([]),
  entities: z.array(z.unknown()).default([]).catch([]),
});
const event = z.object({ eventAction: z.string(), eventDate: z.string() });
/** Of a jCard (RFC 7095): name, parameters, type, value. */
const cardName = z.tuple([z.literal('fn'), z.unknown(), z.unknown(), z.string()]);
const entity = z.object({
  roles: z.array(z.unknown()),
  vcardArray: z.tuple([z.literal('vcard'), z.array(z.unknown())]),
});

/** Reads the answer of an RDAP server about a domain (RFC 9083). */
export function readRdap(body: Buffer): ReadRegistration {
  const read = domainObject.safeParse(parsed(body));
  if (!read.success) return undefined;
  const { events, entities } = read.data;
  const dates = knownOf(event, events).flatMap(({ eventAction, eventDate }) =>
    (eventAction.toLowerCase() === 'expiration' ? publishedDate(eventDate) ?? [] : []));
  const registrars = knownOf(entity, entities).filter(({ roles }) => roles.includes('registrar'));
  const names = registrars.flatMap(({ vcardArray: [, card] }) =>
    knownOf(cardName, card).flatMap(([, , , name]) => publishedName(name) ?? []));
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

/** Reads IANA's list of RDAP servers (RFC 9224); null when it is none. Prefers addresses with `https:`. */
export function readRdapServers(body: Buffer): RdapServer[] | null {
  const read = list.safeParse(parsed(body));
  if (!read.success) return null;
  return read.data.services.flatMap(([tlds, urls]) => {
    const url = urls.find((one) => one.startsWith('https://')) ?? urls.find((one) => one.startsWith('http://'));
    return url === undefined ? [] : [{ tlds: tlds.map((tld) => tld.toLowerCase()), url: url.replace(/\/?$/, '/') }];
  });
}

function knownOf<T>(schema: z.ZodType<T>, parts: unknown[]): T[] {
  return parts.slice(0, MOST_PARTS).flatMap((part) => {
    const read = schema.safeParse(part);
    return read.success ? [read.data] : [];
  });
}

/** Undefined when it is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
