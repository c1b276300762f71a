import {
  addressesWhere, areAll, brokenFamily, connectionsOf, endsEarly, FAMILIES, familyOf, isOpen, isReached,
  isSilent, labelsOf, lastRouter, listOf, otherThan, type Facts, type Finding, type Observation,
} from './observation-rules.ts';

/** Rules for failures that only some of the regions see. */

export function onlyCutOff({ cutOff, down, up }: Facts): Finding {
  const failing = cutOff.filter(({ examination }) => examination.sees === 'down');
  if (failing.length === 0 || down.length > 0 || up.length === 0) return null;
  return `Only from ${labelsOf(failing)}, where the probe's own network is down; reachable from ${labelsOf(up)}.`;
}

export function nothingWrong({ cutOff, down, up, error }: Facts): Finding {
  if (down.length > 0 || up.length === 0) return null;
  if (cutOff.length > 0) {
    return `The target responds from ${labelsOf(up)}; the network of the probe in ${labelsOf(cutOff)} is down.`;
  }
  return error === null
    ? `The target responds from ${labelsOf(up)}, so there is nothing to diagnose.`
    : `The target failed, but responded when it was examined from ${labelsOf(up)}.`;
}

export const isUnresolved = ({ examination: { addresses, error } }: Observation): boolean =>
  addresses.length === 0 && error?.layer === 'dns';

/** The error of the first name server that failed; empty if none did. */
export function lookupError(down: Observation[]): string {
  const failed = down.flatMap(({ examination }) => examination.resolvers).find(({ error }) => error !== null);
  if (!failed?.error) return '';
  const { server, error } = failed;
  return error.includes(server) ? ` (${error})` : ` (${server}: ${error})`;
}

export function missingAddress({ is_dns, down, up }: Facts): Finding {
  const resolvedFrom = up.filter(({ examination }) => examination.addresses.length > 0);
  if (is_dns || down.length === 0 || !down.every(isUnresolved) || resolvedFrom.length === 0) return null;
  return `Only from ${labelsOf(down)}: the name does not resolve${lookupError(down)}; `
    + `it resolves from ${labelsOf(resolvedFrom)}.`;
}

/**
 * A name server in each failing region agrees with all name servers elsewhere, and the probe uses other
 * addresses of that family. Services that respond by region differ between regions, and not within one.
 */
export function wrongAddress({ is_dns, down, up }: Facts): Finding {
  if (is_dns || up.length === 0 || down.length === 0) return null;
  const right = new Set(up.flatMap(({ examination }) => examination.addresses));
  for (const family of FAMILIES) {
    const ofFamily = (all: Iterable<string>) => [...all].filter((address) => familyOf(address) === family);
    const isRight = (all: readonly string[]) => ofFamily(all).some((address) => right.has(address));
    const agrees = ({ examination: { resolvers } }: Observation) =>
      resolvers.length > 0 && resolvers.every(({ answer }) => isRight(answer));
    const isWrong = (one: Observation) => {
      const { addresses, resolvers } = one.examination;
      const isContradicted = ofFamily(addresses).length > 0 && !isRight(addresses)
        && resolvers.some(({ answer }) => isRight(answer));
      // Beside right addresses of the other family, wrong ones explain the failure only if they fail.
      const hasRightOnes = addresses.some((address) => right.has(address));
      return isContradicted && (!hasRightOnes || brokenFamily(one) === family);
    };
    if (!up.every(agrees) || !down.every(isWrong)) continue;
    const wrong = ofFamily(down.flatMap(({ examination }) => examination.addresses));
    return `Only from ${labelsOf(down)}: the name resolves to ${listOf(wrong)}, `
      + `but to ${listOf(ofFamily(right))} from ${labelsOf(up)}.`;
  }
  return null;
}

/** Connections open and then stall where large packets get lost, to an address that works elsewhere. */
export function largePacketsLost({ down, up }: Facts): Finding {
  if (down.length === 0 || up.length === 0) return null;
  const areStuck = down.every(({ examination: { path, connections, error } }) => {
    const traced = connections.find(({ address }) => address === path.target);
    const isStuck = traced?.state === 'stalled'
      || (traced?.state === 'open' && error?.type === 'timeout' && error.layer !== 'connect');
    const worksElsewhere = up.some((one) => addressesWhere(one, isOpen).includes(path.target ?? ''));
    return path.large_packets === 'lost' && isStuck && worksElsewhere;
  });
  if (!areStuck) return null;
  return `Only from ${labelsOf(down)}: large packets get lost on the path, so connections open and then stall; `
    + `reachable from ${labelsOf(up)}.`;
}

/** The target of a trace that ended early, if it does not respond here and does to all others that tried. */
function brokenAddress(seen: Observation, up: Observation[]): string | null {
  const { path: { target }, error } = seen.examination;
  if (target === null || !addressesWhere(seen, isSilent).includes(target) || !endsEarly(seen)) return null;
  if (error?.layer !== 'connect' && !areAll(connectionsOf(seen), isSilent)) return null;
  const tried = up.flatMap((one) => connectionsOf(one).filter(({ address }) => address === target));
  if (!areAll(tried, isReached)) return null;
  // A firewall in front of the target may refuse one probe: then both paths end at the same router.
  const endsAlike = (one: Observation) =>
    one.examination.path.target === target && lastRouter(one) === lastRouter(seen);
  return up.some(endsAlike) ? null : target;
}

export function brokenPath({ down, up, broken_edges: edges }: Facts): Finding {
  const broken = down.map((one) => brokenAddress(one, up));
  const [address] = broken;
  if (!address || broken.includes(null)) return null;
  const routers = [...new Set(down.map(lastRouter))];
  const where = routers.length === 1 ? `breaks after ${routers[0]}` : 'breaks on the way';
  const [family, ...families] = down.map(brokenFamily);
  const ofFamily = family && families.every((one) => one === family) ? `${family} ` : '';
  const isPart = ofFamily === '' && down.some((one) => !areAll(connectionsOf(one), isSilent));
  const edge = edges.find(({ from_probe, to_probe }) =>
    down.some((one) => one.probe_id === from_probe) && up.some((one) => one.probe_id === to_probe));
  return {
    summary: `Only from ${labelsOf(down)}: ${ofFamily}path${isPart ? ` to ${address}` : ''} ${where}; `
      + `reachable from ${labelsOf(up)}.`,
    also: edge ? ['The probes in these regions cannot ping each other either.'] : [],
  };
}

/** Says which family fails, but not why: the probe itself may lack it. */
export function familyFails({ down, sound }: Facts): Finding {
  const [family] = down.map(brokenFamily);
  const isAbout = (one: Observation) =>
    brokenFamily(one) === family && one.examination.error?.layer === 'connect';
  if (!family || !down.every(isAbout)) return null;
  const works = sound.filter((one) => connectionsOf(one, family).some(isOpen));
  const fails = `${labelsOf(down)}: ${family} fails and ${otherThan(family)} works`;
  return works.length > 0 ? `Only from ${fails}; both work from ${labelsOf(works)}.` : `From ${fails}.`;
}

export function unexplained({ down, up }: Facts): string {
  return up.length > 0
    ? `Down from ${labelsOf(down)} and up from ${labelsOf(up)}; the examinations do not show why.`
    : `Down from ${labelsOf(down)}; the examinations do not show why.`;
}
