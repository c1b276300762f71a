import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressVetting } from './address-vetting.ts';
import { RefusedAddress } from './connection-failure.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects only to vetted addresses: vets them on resolution and again once connected. `callerOf` returns the
 * caller connecting to a host.
 */
export function guardedConnector(
  vetting: AddressVetting, callerOf: (host: string) => string,
): buildConnector.connector {
  const lookup = vettedLookup(vetting, callerOf);
  const options = { timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true, lookup };
  const connect = buildConnector(options as buildConnector.BuildOptions);
  return (target, callback) => {
    // An IP address is connected to without a lookup.
    const refusal = isIP(target.hostname) ? vetting.addressRefusal(target.hostname) : null;
    if (refusal !== null) return callback(new RefusedAddress(refusal), null);
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      const { remoteAddress: reached } = socket;
      const reason = reached === undefined ? 'the address is not known' : vetting.addressRefusal(reached);
      if (reason === null) return callback(null, socket);
      socket.destroy();
      callback(new RefusedAddress(reason), null);
    });
  };
}

function vettedLookup(vetting: AddressVetting, callerOf: (host: string) => string): LookupFunction {
  return (host, options, callback) => {
    void vetting.vetHost(host, callerOf(host)).then((vetted) => {
      if (vetted.kind !== 'allowed') {
        const { kind, reason } = vetted;
        return callback(kind === 'refused' ? new RefusedAddress(reason) : new Error(reason), '');
      }
      const found = vetted.addresses.map((address) => ({ address, family: isIP(address) }));
      if (options.all) return callback(null, found);
      callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}
