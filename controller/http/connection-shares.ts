import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressBucket, clientAddress } from './client-address.ts';

/** Closes connections of a client address that has `most` open already, so that it cannot take all. */
export function shareConnections(server: Server, most: number, onRefused: () => void): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const bucket = addressBucket(clientAddress(socket.remoteAddress, undefined, 0));
    const count = open.get(bucket) ?? 0;
    if (count >= most) {
      onRefused();
      socket.destroy();
      return;
    }
    open.set(bucket, count + 1);
    socket.once('close', () => {
      const left = (open.get(bucket) ?? 1) - 1;
      if (left === 0) open.delete(bucket);
      else open.set(bucket, left);
    });
  });
}
