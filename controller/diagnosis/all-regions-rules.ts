import { networkOf } from '../../shared/net-guard.ts';
import {
  addressesOf, areAll, brokenFamily, connectionsOf, countIndependent, endsEarly, hasReachedNetwork, isReached,
  isRefused, isSilent, labelsOf, lastRouter, listOf, messageOf, otherThan, type Connection, type Facts,
  type Finding, type Observation,
} from './observation-rules.ts';
import { isUnresolved, lookupError } from './some-regions-rules.ts';

/** Rules for failures that all regions see, and for bad certificates, which may fail only some checks. */

export function tooFewObservations({ sound, up }: Facts): Finding {
  if (up.length > 0 || countIndependent(sound) > 1) return null;
  if (sound.length === 0) return 'No probe could examine the target.';
  return `Down from ${labelsOf(sound)}; no probe in another network could examine the target.`;
}

export function badCertificate({ sound, error }: Facts): Finding {
  const errors = [error, ...sound.map(({ examination }) => examination.error)];
  if (!errors.some((one) => one?.layer === 'tls')) return null;
  const seen = sound.flatMap((by) => (
    connectionsOf(by).flatMap(({ address, tls }) => (tls ? [{ by, address, tls }] : []))
  ));
  for (const { address, tls, by } of seen.filter((one) => one.tls.problem !== null)) {
    const there = seen.filter((one) => one.address === address);
    const isSame = (one: typeof tls) => one.fingerprint256 === tls.fingerprint256 && one.problem !== null;
    const witnesses = there.map((one) => one.by);
    if (!there.every((one) => isSame(one.tls)) || countIndependent(witnesses) < 2) continue;
    const good = seen.filter((one) => one.tls.problem === null).map((one) => one.address);
    const others = good.length > 0 ? `; the certificate at ${listOf(good)} is valid` : '';
    return `The certificate at ${address} ${problemText(tls, by)}, as seen from ${labelsOf(witnesses)}${others}.`;
  }
  return null;
}

function problemText({ problem, valid_to }: NonNullable<Connection['tls']>, by: Observation): string {
  const isExpired = valid_to !== null && valid_to < by.examination.examined_at;
  return isExpired ? `expired on ${new Date(valid_to).toISOString().slice(0, 10)}` : `is invalid (${problem})`;
}

export function noAddress({ is_dns, down, up }: Facts): Finding {
  if (is_dns || up.length > 0 || !down.every(isUnresolved)) return null;
  return `The name does not resolve from ${labelsOf(down, 'or')}${lookupError(down)}.`;
}

/** A probe may lack an address family, so some addresses may not respond to it. */
export function refused({ down, up }: Facts): Finding {
  const isRefusedHere = (one: Observation) => connectionsOf(one).some(isRefused)
    && connectionsOf(one).every((each) => isRefused(each) || isSilent(each));
  if (up.length > 0 || !down.every(isRefusedHere)) return null;
  return `The target refuses connections from ${labelsOf(down)}.`;
}

export function familyRefused({ down, sound }: Facts): Finding {
  const family = down.map(brokenFamily).find((one) => one !== null);
  if (!family || !down.every(({ examination }) => examination.error?.layer === 'connect')) return null;
  const tried = sound.filter((one) => connectionsOf(one, family).length > 0);
  const isRefusedHere = (one: Observation) =>
    brokenFamily(one) === family && areAll(connectionsOf(one, family), isRefused);
  if (!tried.every(isRefusedHere) || countIndependent(tried) < 2) return null;
  return `The target refuses ${family} connections from ${labelsOf(tried)}; ${otherThan(family)} works.`;
}

/** If large packets may be lost, the path may be why a response is missing. */
export function badResponse({ down, up }: Facts): Finding {
  const isConnected = (one: Observation) => connectionsOf(one).some(isReached);
  const isTargets = ({ examination: { error, path } }: Observation) => {
    if (!error?.layer || error.layer === 'dns' || error.layer === 'connect') return false;
    const isMissing = error.type === 'timeout' || error.layer === 'tls';
    return !isMissing || path.large_packets === 'arrive';
  };
  const isBad = (one: Observation) => isConnected(one) && isTargets(one);
  const types = new Set(down.map(({ examination }) => examination.error?.type));
  if (up.length > 0 || types.size !== 1 || !down.every(isBad)) return null;
  const [message] = down.map(messageOf);
  return `The target accepts connections from ${labelsOf(down)}, but the check fails: ${message}.`;
}

/** Whether the target accepts no connection from any region. */
function isSilentEverywhere(seen: readonly Observation[]): boolean {
  return seen.every((one) => one.examination.sees === 'down' && areAll(connectionsOf(one), isSilent));
}

export function silentInReach({ down, up }: Facts): Finding {
  if (up.length > 0 || !isSilentEverywhere(down) || !down.every(hasReachedNetwork)) return null;
  return `The target does not respond, but the paths from ${labelsOf(down)} reach its network.`;
}

export function silentByItself({ down, up, neighbor }: Facts): Finding {
  if (up.length > 0 || neighbor === null || !isSilentEverywhere(down)) return null;
  return {
    summary: `The target does not respond to ${labelsOf(down)}, while ${neighbor} in its network does.`,
    also: [`Another monitor: ${neighbor} responded after the failure.`],
  };
}

/** Whether a target does not respond to probes in several networks, and nothing else in its network does. */
function isCutOffFromAll(seen: readonly Observation[]): boolean {
  return countIndependent(seen) > 1 && isSilentEverywhere(seen) && seen.every(endsEarly);
}

/** Several monitors of the same host are one target. */
export function sharedEdge({ down, up, others }: Facts): Finding {
  if (up.length > 0 || !isCutOffFromAll(down)) return null;
  const own = addressesOf(down);
  const router = commonRouter(down);
  const members = new Set<string>();
  let place: string | null = null;
  for (const { monitor_id, observations } of others) {
    const sound = observations.filter(({ examination }) => examination.has_network);
    const theirs = addressesOf(sound);
    if (!isCutOffFromAll(sound) || theirs.some((address) => own.includes(address))) continue;
    const network = own.map(networkOf).find((one) => theirs.some((address) => networkOf(address) === one));
    const isBehind = router !== null && commonRouter(sound) === router;
    if (network === undefined && !isBehind) continue;
    members.add(monitor_id);
    place ??= isBehind ? `behind ${router}` : `in ${network}`;
  }
  if (place === null) return null;
  return {
    summary: `${members.size + 1} targets ${place} stopped responding within 90 s, and so did their networks.`,
    also: [`Other monitors: ${members.size} more fail from all regions, and their networks do not respond.`],
  };
}

/** The router at which the paths from all regions end; null if they end at different ones. */
function commonRouter(seen: readonly Observation[]): string | null {
  const routers = new Set(seen.map(lastRouter));
  return routers.size === 1 ? ([...routers][0] ?? null) : null;
}
