import { MAX_PEERS, type MeshOrder } from '../../shared/contracts/mesh.ts';
import { derivedId, fnv1a, mix } from '../../shared/ids.ts';
import { classifyAddress } from '../../shared/net-guard.ts';

/** Maximum candidates per region; bounds the work if all probes share one address. */
const MAX_CANDIDATES = 32;

/** A member of the mesh. */
export interface MeshMember {
  id: string;
  region: string;
  /** Null for shared probes. Only probes of the same owner ping each other. */
  owner: string | null;
  /** Addresses and ranges that its checks come from. */
  addresses: readonly string[];
  allowsPrivate: boolean;
}

type Peers = MeshOrder['mesh'];
export type PeerChoice = (memberId: string) => Peers;

/** A member on the ring of its owner and region. */
interface Placed {
  member: MeshMember;
  position: number;
  /** Where others ping it; null if no address is suitable. */
  address: string | null;
  /** Whether `address` is a loopback address, and whether the member has any. */
  isLoopback: boolean;
  hasLoopback: boolean;
}

type Regions = Map<string, Placed[]>;

/**
 * Chooses up to four peers of each member: from as many other regions as possible, then from its own. The
 * choice depends only on the members. Adding or removing one affects only members just before it on the ring.
 */
export function choosePeers(members: readonly MeshMember[], allowPrivate: boolean): PeerChoice {
  const placed = members.map((member) => placeOf(member, allowPrivate))
    .sort((one, other) => one.position - other.position || (one.member.id < other.member.id ? -1 : 1));
  const rings = new Map<string | null, Regions>();
  for (const one of placed) {
    if (one.address === null) continue;
    const { owner, region } = one.member;
    const regions = rings.get(owner) ?? new Map<string, Placed[]>();
    rings.set(owner, regions);
    const ring = regions.get(region);
    if (ring) ring.push(one);
    else regions.set(region, [one]);
  }
  const byId = new Map(placed.map((one) => [one.member.id, one]));
  const chosen = new Map<string, Peers>();
  return (memberId) => {
    const known = chosen.get(memberId);
    if (known) return known;
    const from = byId.get(memberId);
    const peers = from ? peersOf(from, rings.get(from.member.owner) ?? new Map<string, Placed[]>()) : [];
    const parts = peers.flatMap(({ probe_id: id, address }) => [id, address]);
    const order = { version: derivedId(String(allowPrivate), ...parts), allow_private: allowPrivate, peers };
    chosen.set(memberId, order);
    return order;
  };
}

function placeOf(member: MeshMember, allowPrivate: boolean): Placed {
  const { id, addresses, allowsPrivate } = member;
  // Ranges have no kind.
  const kinds = addresses.map(classifyAddress);
  const allowed = allowPrivate && allowsPrivate ? ['global', 'private', 'loopback'] : ['global'];
  const index = kinds.findIndex((kind) => allowed.includes(kind));
  return {
    member, position: mix(fnv1a(id)), address: addresses[index] ?? null,
    isLoopback: kinds[index] === 'loopback', hasLoopback: kinds.includes('loopback'),
  };
}

function peersOf(from: Placed, regions: Regions): Peers['peers'] {
  const { region: own } = from.member;
  const elsewhere = [...regions.keys()].filter((region) => region !== own)
    .map((region) => ({ region, weight: mix(from.position ^ mix(fnv1a(region))) }))
    .sort((one, other) => other.weight - one.weight || (one.region < other.region ? -1 : 1))
    .slice(0, MAX_PEERS);
  const count = Math.ceil(MAX_PEERS / Math.max(1, elsewhere.length));
  const lists = elsewhere.map(({ region }) => candidates(from, regions.get(region) ?? [], count));
  const rounds = Array.from({ length: count }, (_, round) => lists.flatMap((list) => list[round] ?? []));
  const chosen = rounds.flat().slice(0, MAX_PEERS);
  const neighbors = candidates(from, regions.get(own) ?? [], MAX_PEERS - chosen.length);
  return [...chosen, ...neighbors]
    .map(({ member, address }) => ({ probe_id: member.id, address: address as string }));
}

/** Up to `limit` members of a region that `from` may ping, from the one that follows it on the ring. */
function candidates(from: Placed, ring: readonly Placed[], limit: number): Placed[] {
  let first = 0;
  for (let end = ring.length; first < end;) {
    const middle = (first + end) >> 1;
    if ((ring[middle] as Placed).position > from.position) end = middle;
    else first = middle + 1;
  }
  const found: Placed[] = [];
  const count = Math.min(ring.length, MAX_CANDIDATES);
  for (let index = 0; index < count && found.length < limit; index += 1) {
    const one = ring[(first + index) % ring.length] as Placed;
    if (mayPing(from, one)) found.push(one);
  }
  return found;
}

/**
 * Pinging an address that both have, such as a router's, proves nothing. A loopback address belongs to the
 * other probe only if both run on one machine.
 */
function mayPing(from: Placed, { member, address, isLoopback }: Placed): boolean {
  const isShared = address === null || from.member.addresses.includes(address);
  return !isShared && member.id !== from.member.id && (!isLoopback || from.hasLoopback);
}
