import { fnv1a } from '../../shared/ids.ts';
import { FACT_LIMITS, type TargetFacts } from '../../shared/contracts/result.ts';
import type { LazyTargetFacts } from '../checks/check.ts';

/** Facts are sent again after this time, in case the result that carried them was lost or rejected. */
const REPEAT_AFTER_MS = 7 * 86_400_000;
/** Each part of the facts may cause this many results with facts in an hour. */
const MAX_PER_HOUR = 6;
const HOUR_MS = 3_600_000;
/** Hashes remembered of each part; the oldest are forgotten. */
const MAX_KNOWN = 256;

const NONE: readonly number[] = Object.freeze([]);

/** The name servers of a name, sorted; null if they are not known. */
export type NameServersOf = (name: string) => { servers: readonly string[]; hash: number } | null;

interface Sent {
  atMs: number;
  readonly addresses: SentPart;
  /** Name servers and responses. */
  readonly others: SentPart;
}

/**
 * Tracks the facts about targets that were sent, so that only what is new is sent: an address, name servers
 * or a response that the target did not have before.
 */
export class SentTargets {
  readonly #nameServersOf: NameServersOf;
  readonly #sent = new Map<string, Sent>();

  constructor(nameServersOf: NameServersOf) {
    this.#nameServersOf = nameServersOf;
  }

  /** The facts that a monitor's result should carry now, in full length; `nowMs` is Unix ms. */
  take(monitorId: string, target: LazyTargetFacts, nowMs: number): TargetFacts | null {
    const { name, nameAddresses: addresses, responseHash = null } = target;
    if (addresses.length === 0 && responseHash === null) return null;
    const zone = name === null || addresses.length === 0 ? null : this.#nameServersOf(name);
    const sent = this.#sent.get(monitorId) ?? this.#add(monitorId);
    const isRepetition = Math.abs(nowMs - sent.atMs) >= REPEAT_AFTER_MS;
    const hasAddresses = addresses.every((address) => sent.addresses.has(hashOf(address)));
    const hasOthers = (zone === null || sent.others.has(zone.hash))
      && (responseHash === null || sent.others.has(responseHash));
    const isNew = !hasAddresses && sent.addresses.learn(addresses.map(hashOf), nowMs);
    const isOther = !hasOthers && sent.others.learn([zone?.hash ?? [], responseHash ?? []].flat(), nowMs);
    if (!isRepetition && !isNew && !isOther) return null;
    if (isRepetition) sent.atMs = nowMs;
    return {
      ...(addresses.length > 0 && { addresses: addresses.toSorted().slice(0, FACT_LIMITS.addresses) }),
      ...(zone && { name_servers: zone.servers.slice(0, FACT_LIMITS.names) }),
      ...(responseHash !== null && target.responseFacts?.()),
    };
  }

  #add(monitorId: string): Sent {
    const sent = { atMs: -Infinity, addresses: new SentPart(), others: new SentPart() };
    this.#sent.set(monitorId, sent);
    return sent;
  }

  /** The monitor's next result carries its facts. */
  forget(monitorId: string): void {
    this.#sent.delete(monitorId);
  }
}

/** An integer that V8 stores in place. */
function hashOf(text: string): number {
  return fnv1a(text) | 0;
}

/** What was sent of one part of the facts. */
class SentPart {
  /** Hashes of its values, oldest first. */
  #known: readonly number[] = NONE;
  /** Results since `#hourMs` that carried something new. */
  #count = 0;
  #hourMs = 0;

  has(hash: number): boolean {
    return this.#known.includes(hash);
  }

  /** True if values, some of which are new, may be sent. Then all are known. */
  learn(hashes: readonly number[], nowMs: number): boolean {
    const fresh = hashes.filter((hash) => !this.has(hash));
    if (Math.abs(nowMs - this.#hourMs) >= HOUR_MS) [this.#hourMs, this.#count] = [nowMs, 0];
    if (this.#count >= MAX_PER_HOUR) return false;
    this.#count += 1;
    this.#known = [...this.#known, ...fresh].slice(-MAX_KNOWN);
    return true;
  }
}
