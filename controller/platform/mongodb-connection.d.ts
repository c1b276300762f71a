/** The part of the driver's inside that `mongo-dead-socket.ts` has to touch. */
declare module 'mongodb/lib/cmap/connection.js' {
  export class Connection {
    readonly socket: import('node:net').Socket;
    writeCommand(command: unknown, options: unknown): Promise<void>;
  }
}
