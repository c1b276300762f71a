import { derivedId, fnv1a } from '../../shared/ids.ts';
import { COMPARED_HEADERS } from '../../shared/contracts/result.ts';
import { networkOf } from '../../shared/net-guard.ts';
import type { TargetSighting } from '../verdicts/monitor-state.ts';
import type { ChangeDoc, ChangeKind, SeenDoc, SeenKind } from './change.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Addresses remembered, or sets of values of another kind. The oldest are forgotten. */
const MAX_KNOWN = { addresses: 256, others: 32 } as const;
/** Maximum different values that regions see at the same time. */
const MAX_CURRENT = 64;
/**
 * Values are unsteady if this many new ones appeared within this time: the name has a pool of addresses, or a
 * header differs in each response.
 */
const UNSTEADY = {
  addresses: { count: 2, withinMs: 7 * DAY_MS }, others: { count: 4, withinMs: DAY_MS },
} as const;
/** A name with more known addresses than this many lookups return has a pool. */
const MAX_SETS = 2;
/** A pool without a new address for this long is known completely. */
const POOL_KNOWN_AFTER_MS = DAY_MS;
/** Regions that see the same change within this time join it. */
const JOIN_WITHIN_MS = DAY_MS;

/** The outcome of a comparison. */
export interface Compared {
  /** The same object if there is nothing new to remember. */
  seen: SeenDoc;
  changes: ChangeDoc[];
  /** Earlier changes that another region has now seen, too. */
  joined: { id: string; region: string }[];
}

/**
 * Compares what a region saw with what the monitor's target had before. Known values and the first values of
 * a region are not changes. A set of addresses is new if any of them is unknown; values of other kinds are
 * new if their combination is unknown.
 *
 * New values are a change unless they are unsteady. A set with some known addresses of a pool is not a change
 * either. An unsteady set of addresses is a change only if all are outside the networks (/16, /48) of the
 * known ones and no new address appeared for a day. The same sightings yield the same changes and ids.
 */
export function compareSighting(before: SeenDoc | null, sighting: TargetSighting): Compared {
  const { monitor_id, check_revision, position } = sighting;
  const known = before?.check_revision === check_revision ? before.kinds : [];
  const compared: Compared = {
    seen: { _id: monitor_id, position, check_revision, kinds: known }, changes: [], joined: [],
  };
  for (const { name, values } of seenValues(sighting)) compareKind(compared, sighting, name, values);
  return before !== null && compared.seen.kinds === before.kinds ? { ...compared, seen: before } : compared;
}

/** The values of each kind; each header is one. */
function seenValues({ facts = {}, certificate }: TargetSighting): { name: string; values: string[] }[] {
  const { addresses, name_servers, redirects, headers } = facts;
  const lists = Object.entries({
    addresses, name_servers, redirects, certificate: certificate && [certificateText(certificate)],
  });
  const found = lists.flatMap(([name, values]) => (values === undefined ? [] : [{ name, values }]));
  if (headers === undefined) return found;
  return [...found, ...COMPARED_HEADERS.map((name) => {
    const value = headers[name];
    return { name: `header:${name}`, values: value === undefined ? [] : [`${name}: ${value}`] };
  })];
}

function certificateText(
  { subject, issuer, expires_at: expiresAt, fingerprint256 }: NonNullable<TargetSighting['certificate']>,
): string {
  const until = expiresAt === null ? '' : `, valid until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
  return `${subject}, issued by ${issuer}${until}, SHA-256 ${fingerprint256}`;
}

/** Compares the values of one kind and adds the outcome to `compared`. */
function compareKind(compared: Compared, sighting: TargetSighting, name: string, values: string[]): void {
  const { region, seen_at: at, monitor_id, position } = sighting;
  const { kinds } = compared.seen;
  const seen = kinds.find((one) => one.name === name) ?? { name, known: [], current: [], novelties: [] };
  const last = seen.current.find(({ regions }) => regions.includes(region))?.values ?? null;
  if (last !== null && isSame(last, values)) return;
  const parts = name === 'addresses' ? values : [String(fnv1a(values.join('\n')))];
  const fresh = parts.filter((part) => !seen.known.includes(part));
  const current = withCurrent(seen, region, values);
  let next: SeenKind = { ...seen, known: withLatest(seen, parts), current };
  if (last !== null && fresh.length > 0) {
    next.novelties = [...seen.novelties, at].slice(-limitsOf(name).count);
    const isChange = !isGrowth(seen, values, fresh) && (!isUnsteady(seen, at) || isMove(seen, values, at));
    if (isChange) {
      const id = derivedId('change', monitor_id, position, name);
      compared.changes.push(changeOf(sighting, { _id: id, kind: kindOf(name), before: last, after: values }));
      next.latest = { id, at, values, regions: [region] };
    }
  } else if (last !== null && next.latest && isJoined(next.latest, sighting, values)) {
    const { latest } = next;
    next = { ...next, latest: { ...latest, regions: [...latest.regions, region] } };
    compared.joined.push({ id: latest.id, region });
  }
  compared.seen = { ...compared.seen, kinds: [...kinds.filter((one) => one.name !== name), next] };
}

function isJoined(
  { at, values, regions }: NonNullable<SeenKind['latest']>, { region, seen_at }: TargetSighting, own: string[],
): boolean {
  return isSame(values, own) && !regions.includes(region) && seen_at - at <= JOIN_WITHIN_MS;
}

function isUnsteady({ name, novelties }: SeenKind, at: number): boolean {
  const { count, withinMs } = limitsOf(name);
  return novelties.length >= count && at - (novelties[0] as number) < withinMs;
}

/** Whether new addresses extend a pool of which each lookup returns a few. */
function isGrowth({ name, known }: SeenKind, values: string[], fresh: string[]): boolean {
  return name === 'addresses' && fresh.length < values.length && known.length > MAX_SETS * values.length;
}

/** Whether the target has left a known pool for other networks. */
function isMove({ name, known, novelties }: SeenKind, values: string[], at: number): boolean {
  if (name !== 'addresses' || at - (novelties.at(-1) ?? 0) < POOL_KNOWN_AFTER_MS) return false;
  const networks = new Set(known.map(wideNetworkOf));
  return values.every((address) => !networks.has(wideNetworkOf(address)));
}

/** The /16 of an IPv4 address, the /48 of an IPv6 address. */
function wideNetworkOf(address: string): string {
  return address.includes(':') ? networkOf(address) : address.split('.', 2).join('.');
}

function withLatest({ name, known }: SeenKind, parts: string[]): string[] {
  const max = name === 'addresses' ? MAX_KNOWN.addresses : MAX_KNOWN.others;
  return [...known.filter((part) => !parts.includes(part)), ...parts].slice(-max);
}

function withCurrent({ current }: SeenKind, region: string, values: string[]): SeenKind['current'] {
  const others = current.flatMap((one) => {
    const regions = one.regions.filter((other) => other !== region);
    return regions.length === 0 ? [] : [{ values: one.values, regions }];
  });
  const same = others.find((one) => isSame(one.values, values));
  if (same) same.regions.push(region);
  else others.push({ values, regions: [region] });
  return others.slice(-MAX_CURRENT);
}

function changeOf(
  { organization_id, project_id, monitor_id, region, seen_at: at }: TargetSighting,
  change: Pick<ChangeDoc, '_id' | 'kind' | 'before' | 'after'>,
): ChangeDoc {
  return { ...change, organization_id, project_id, monitor_id, at, regions: [region] };
}

function limitsOf(name: string) {
  return name === 'addresses' ? UNSTEADY.addresses : UNSTEADY.others;
}

function kindOf(name: string): ChangeKind {
  return name.startsWith('header:') ? 'header' : name as ChangeKind;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
