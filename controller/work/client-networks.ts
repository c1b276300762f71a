/** A network whose callers share one limit. */
export interface CountedNetwork {
  key: string;
  /** Multiple of a single caller's limit. */
  factor: number;
}

/**
 * A customer has one IPv4 address but an IPv6 /64 to /48, and a /48 contains 65,536 networks counted as one
 * caller each. Wider networks get a higher limit because several customers may share them.
 */
const WIDER = { '/56': 4, '/48': 16 };

const IPV6_CALLER = /^(ip:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/**
 * The networks whose limits apply to a caller: itself and, for an IPv6 address in the format of `addressKey`,
 * its /56 and /48. The widest comes last.
 */
export function networksOf(caller: string): [CountedNetwork, ...CountedNetwork[]] {
  const own = { key: caller, factor: 1 };
  const [, prefix, group = ''] = IPV6_CALLER.exec(caller) ?? [];
  if (prefix === undefined) return [own];
  const upper = (parseInt(group, 16) & 0xff00).toString(16);
  return [
    own,
    { key: `${prefix}:${upper}::/56`, factor: WIDER['/56'] },
    { key: `${prefix}::/48`, factor: WIDER['/48'] },
  ];
}
