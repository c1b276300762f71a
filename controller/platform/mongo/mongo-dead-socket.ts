import type { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';
// @ts-expect-error The driver has no types for its internals.
import { Connection } from 'mongodb/lib/cmap/connection.js';

const GUARDED = Symbol.for('farwatch.mongo-dead-socket');

interface DriverConnection {
  readonly socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  [GUARDED]?: true;
}

/**
 * Makes commands fail on a dead socket that has not emitted an event yet. Driver 7.8 would write to it, wait
 * for `drain`, and hang forever, past every timeout; a test reproduces the hang.
 */
export function guardDeadSockets(): void {
  const prototype: DriverConnection = Connection.prototype;
  if (prototype[GUARDED] === true) return;
  prototype[GUARDED] = true;
  const write = prototype.writeCommand;
  prototype.writeCommand = async function (this: DriverConnection, command, options): Promise<void> {
    const isDead = this.socket.destroyed || this.socket.writableEnded;
    if (isDead) throw new MongoNetworkError('the connection was closed');
    return write.call(this, command, options);
  };
}
