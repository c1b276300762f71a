import { connect, createSecureContext, type ConnectionOptions } from 'node:tls';
import { keepInFlight } from './in-flight.ts';

/**
 * GETs with `tls.connect`, each with a full handshake that verifies the chain, then reads the certificate's expiry.
 * Connections either share a context or each reads the authority again.
 */
export async function bareHandshakes(options: Record<string, unknown>): Promise<{ done: number; cpuMs: number }> {
  const { port, ca, count, inFlight, by } =
    options as { port: number; ca: string; count: number; inFlight: number; by: 'shared' | 'ca' };
  const trust = by === 'shared' ? { secureContext: createSecureContext({ ca }) } : { ca };
  return keepInFlight({ count, inFlight }, () => handshake({ host: '127.0.0.1', port, ...trust }));
}

function handshake(options: ConnectionOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(options, () => {
      if (!Date.parse(socket.getPeerCertificate().valid_to)) reject(new Error('a certificate that never expires'));
      socket.write('GET / HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n');
    });
    socket.on('error', reject);
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
  });
}
