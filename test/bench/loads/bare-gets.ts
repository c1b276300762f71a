import { connect } from 'node:net';
import { request } from 'undici';
import { keepInFlight } from './in-flight.ts';

/** GETs over fresh connections with limited concurrency, with bare sockets or undici. */
export async function bareGets(options: Record<string, unknown>): Promise<{ done: number; cpuMs: number }> {
  const { port, count, inFlight, by } =
    options as { port: number; count: number; inFlight: number; by: 'net' | 'undici' };
  return keepInFlight({ count, inFlight }, by === 'net' ? () => byNet(port) : () => byUndici(port));
}

function byNet(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n'),
    );
    socket.on('error', reject);
    socket.once('data', () => socket.destroy());
    socket.once('close', () => resolve());
  });
}

async function byUndici(port: number): Promise<void> {
  const { body } = await request(`http://127.0.0.1:${port}/`, { reset: true });
  await body.dump();
}
