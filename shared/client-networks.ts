/** Callers that are counted together. */
export interface CountedNetwork {
  key: string;
  /** How many times the allowance of one caller it has. */
  factor: number;
}

/**
 * One customer has one IPv4 address, but an IPv6 network of 64 to 48 bits: with a /48 come 65,536 of the size
 * that counts as one address. The wider ones have more, as they may also contain several customers.
 */
const WIDER = { '/56': 4, '/48': 16 };

const IPV6_CALLER = /^(ip:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/**
 * What a caller counts under wherever something is limited per caller: itself and, if it is an IPv6 address
 * as `addressKey` writes it, also its /56 and /48. The widest is last.
 */
export function networksOf(caller: string): [CountedNetwork, ...CountedNetwork[]] {
  const own = { key: caller, factor: 1 };
  const [, prefix, group = ''] = IPV6_CALLER.exec(caller) ?? [];
  if (prefix === undefined) return [own];
  const upper = (parseInt(group, 16) & 0xff00).toString(16);
  return [
    own, { key: `${prefix}:${upper}::/56`, factor: WIDER['/56'] }, { key: `${prefix}::/48`, factor: WIDER['/48'] },
  ];
}
