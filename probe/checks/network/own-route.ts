import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** Our code for a connection to which this machine has no route: no packet was sent. */
export const NO_ROUTE = 'NO_ROUTE';
/** Any port will do. */
const PORT = 9;

/**
 * Corrects the code of a failed connection to an IP address. The system reports ENETUNREACH both when a
 * router elsewhere lost the route, which stays, and when this machine has none, which becomes NO_ROUTE.
 */
export async function correctCode(failed: { code: string }, address: string): Promise<void> {
  if (failed.code === 'ENETUNREACH' && (await ownAddressTo(address)) === null) failed.code = NO_ROUTE;
}

/**
 * This machine's address for packets to `address`; null if it has no route there. Connecting a UDP socket
 * looks up the route and sends nothing.
 */
export async function ownAddressTo(address: string): Promise<string | null> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.connect(PORT, address);
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    return null;
  } finally {
    socket.close();
  }
}
