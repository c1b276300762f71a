import type { Examination } from '../../shared/contracts/examination.ts';
import type { CheckError } from '../../shared/contracts/result.ts';
import { networkOf } from '../../shared/net-guard.ts';
import type { RegionExamination } from './diagnosis.ts';

/** An examination with the name of its region. */
export interface Observation extends RegionExamination {
  label: string;
  /** Of the probe's provider; null if unknown. */
  network: string | null;
}

/** What other monitors and probes say about a failure. */
export interface Surroundings {
  /** Examinations of other monitors that failed within EDGE_WINDOW_MS of this one. */
  others: { monitor_id: string; observations: Observation[] }[];
  /** Another address in the same /24 or /48 that responded after the failure; null if none is known. */
  neighbor: string | null;
  /** Pairs of probes of which the first can no longer ping the second. */
  broken_edges: { from_probe: string; to_probe: string }[];
}

/** Input of the rules. Observations of probes whose own network is down say nothing about the target. */
export interface Facts extends Surroundings {
  /** The failure that counted; null if somebody requested the diagnosis. */
  error: CheckError | null;
  /** Whether the monitor checks DNS records, so that a failed lookup is about what it checks. */
  is_dns: boolean;
  cutOff: Observation[];
  down: Observation[];
  up: Observation[];
  /** Down and up. */
  sound: Observation[];
}

/** A summary, and what decided besides the observations; null if the rule does not apply. */
export type Finding = string | { summary: string; also: string[] } | null;

/** Monitors that fail within this time may have a common cause. */
export const EDGE_WINDOW_MS = 90_000;

export type Connection = Examination['connections'][number];
export const FAMILIES = ['IPv4', 'IPv6'] as const;
export type Family = (typeof FAMILIES)[number];

const MAX_MESSAGE_LENGTH = 160;

export function familyOf(address: string): Family {
  return address.includes(':') ? 'IPv6' : 'IPv4';
}

export function connectionsOf({ examination }: Observation, family?: Family): Connection[] {
  const { connections } = examination;
  return connections.filter(({ address }) => family === undefined || familyOf(address) === family);
}

export const isOpen = ({ state }: Connection): boolean => state === 'open';
export const isReached = ({ state }: Connection): boolean => state === 'open' || state === 'stalled';
export const isRefused = ({ state }: Connection): boolean => state === 'refused';
/** Nothing came back, or a router reported that the address is unreachable. */
export const isSilent = ({ state }: Connection): boolean => state === 'timeout' || state === 'unreachable';

/** True if there is a connection, and all match. */
export function areAll(connections: Connection[], isSo: (one: Connection) => boolean): boolean {
  return connections.length > 0 && connections.every(isSo);
}

/** The addresses whose connections match. */
export function addressesWhere(seen: Observation, isSo: (one: Connection) => boolean): string[] {
  return seen.examination.connections.filter(isSo).map(({ address }) => address);
}

/** The addresses that the target's name has, and those traced. */
export function addressesOf(regions: readonly RegionExamination[]): string[] {
  return [...new Set(regions.flatMap(({ examination: { addresses, path } }) => (
    path.target === null ? addresses : [...addresses, path.target]
  )))];
}

/** The number of different networks. An unknown network counts as one per region. */
export function countIndependent(seen: readonly Observation[]): number {
  return new Set(seen.map(({ network, region }) => network ?? `region ${region}`)).size;
}

/** The last router that responded; null if none did. Routers that do not respond may still forward. */
export function lastRouter({ examination: { path } }: Observation): string | null {
  return path.hops.findLast(({ address }) => address !== null && address !== path.target)?.address ?? null;
}

/** Whether the target, or a router in its /24 (IPv4) or /48 (IPv6), responded to the trace. */
export function hasReachedNetwork({ examination: { path } }: Observation): boolean {
  const { target, hops, is_complete } = path;
  if (target === null) return false;
  const network = networkOf(target);
  return is_complete || hops.some(({ address }) => address !== null && networkOf(address) === network);
}

/** Whether a traced path ends before the network of the target. */
export function endsEarly(seen: Observation): boolean {
  const { path } = seen.examination;
  return path.method !== 'none' && path.target !== null && lastRouter(seen) !== null && !hasReachedNetwork(seen);
}

/** `Osaka`, `Osaka and Paris`, or `Osaka, Paris and Dublin`. */
export function listOf(names: readonly string[], conjunction = 'and'): string {
  const unique = [...new Set(names)];
  const last = unique.at(-1) ?? '';
  return unique.length < 2 ? last : `${unique.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

export function labelsOf(seen: readonly Observation[], conjunction?: string): string {
  return listOf(seen.map(({ label }) => label), conjunction);
}

/** Why the check failed, without a period; empty if unknown. */
export function messageOf({ examination: { error } }: Observation): string {
  return (error?.message ?? '').slice(0, MAX_MESSAGE_LENGTH).replace(/[\s.]+$/, '');
}

/** The family that does not connect while the other one does; null if there is none. */
export function brokenFamily(seen: Observation): Family | null {
  const isWorking = (family: Family) => connectionsOf(seen, family).some(isOpen);
  const isBroken = (family: Family) => areAll(connectionsOf(seen, family), (one) => !isOpen(one));
  if (isBroken('IPv6') && isWorking('IPv4')) return 'IPv6';
  return isBroken('IPv4') && isWorking('IPv6') ? 'IPv4' : null;
}

export const otherThan = (family: Family): Family => (family === 'IPv6' ? 'IPv4' : 'IPv6');

/** What a probe saw, in one sentence. */
export function sentenceOf(seen: Observation): string {
  const { label, examination: { sees, has_network, path } } = seen;
  if (!has_network) return `${label}: the probe's own network is down.`;
  if (sees === 'up') return `${label}: the check succeeds.`;
  const message = messageOf(seen);
  const why = message === '' ? 'the check fails' : `the check fails: ${message}`;
  const router = lastRouter(seen);
  if (path.target === null || path.method === 'none') return `${label}: ${why}.`;
  if (path.is_complete) return `${label}: ${why}; the path to ${path.target} is complete.`;
  return router === null
    ? `${label}: ${why}; no router on the path to ${path.target} responds.`
    : `${label}: ${why}; ${router} is the last router that responds on the path to ${path.target}.`;
}
