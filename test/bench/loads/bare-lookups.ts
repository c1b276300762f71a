import { Resolver } from 'node:dns/promises';
import { keepInFlight } from './in-flight.ts';

/** Lookups of the bench's names through Node's c-ares; verifies each address. */
export async function bareLookups(options: Record<string, unknown>): Promise<{ done: number; cpuMs: number }> {
  const { port, names, expectedAddress, count, inFlight } =
    options as { port: number; names: string[]; expectedAddress: string; count: number; inFlight: number };
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  return keepInFlight({ count, inFlight }, async (nth) => {
    const addresses = await resolver.resolve4(names[nth % names.length] as string);
    if (addresses[0] !== expectedAddress) throw new Error(`${addresses.join()} instead of ${expectedAddress}`);
  });
}
