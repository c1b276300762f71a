import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { EXAMINATION_LIMITS, type Examination } from '../../shared/contracts/examination.ts';
import { concealError, FactConcealer } from '../concealing/concealer.ts';

/** The examination without the monitor's secrets. Omits addresses that are or contain one. */
export function concealed(spec: CheckSpec, found: Examination): Examination {
  const facts = new FactConcealer(spec);
  const isShown = (address: string): boolean => facts.detail(address) === address;
  const shown = (address: string | null) => (address !== null && isShown(address) ? address : null);
  const text = (value: string | null) => facts.detail(value)?.slice(0, EXAMINATION_LIMITS.text) ?? null;
  const { path } = found;
  return {
    ...found,
    error: found.error && concealError(spec, found.error),
    addresses: found.addresses.filter(isShown),
    resolvers: found.resolvers.filter(({ server }) => isShown(server)).map(({ server, answer, error }) => (
      { server, answer: answer.filter(isShown), error: text(error) }
    )),
    path: {
      ...path, note: text(path.note), target: shown(path.target),
      hops: path.hops.map(({ ttl, address, rtt_ms }) => {
        const shownAddress = shown(address);
        return { ttl, address: shownAddress, rtt_ms: shownAddress === null ? null : rtt_ms };
      }),
    },
    connections: found.connections.filter(({ address }) => isShown(address)).map(({ tls, ...others }) => (
      { ...others, tls: tls && { ...tls, issuer: text(tls.issuer) ?? '', problem: text(tls.problem) } }
    )),
  };
}
