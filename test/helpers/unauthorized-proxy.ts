import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { serialize } from 'bson';
import { frameResponse, HEADER_BYTES, OpCode } from '../../deploy/embedded/mongo/wire/message.ts';

/** Commands of a user without any role. */
const ALLOWED = new Set(['hello', 'ismaster', 'ping', 'endSessions']);

export interface UnauthorizedProxy {
  url: string;
  close(): Promise<void>;
}

/**
 * A proxy for a MongoDB server on a port that refuses reads and writes, as a server does for a user without roles; with
 * `database`, only those in that one.
 */
export async function startUnauthorizedProxy(port: number, database = ''): Promise<UnauthorizedProxy> {
  const sockets = new Set<Socket>();
  let lastId = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let buffered: Buffer = Buffer.alloc(0);
    near.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      while (buffered.length >= 4 && buffered.length >= buffered.readInt32LE(0)) {
        const message = buffered.subarray(0, buffered.readInt32LE(0));
        buffered = buffered.subarray(message.length);
        const refusal = message.includes(database) ? refusalOf(message, ++lastId) : null;
        if (refusal === null) far.write(message);
        else near.write(refusal);
      }
    });
    far.on('data', (chunk: Buffer) => near.write(chunk));
    for (const [one, other] of [[near, far], [far, near]] as const) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/farwatch?directConnection=true`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null if the command is allowed. Its name is the first field of the first section, behind the type of its value. */
function refusalOf(message: Buffer, id: number): Buffer | null {
  const opCode = message.readInt32LE(12);
  if (opCode !== OpCode.message) return null;
  const at = HEADER_BYTES + 4 + 1 + 4 + 1;
  const command = message.toString('utf8', at, message.indexOf(0, at));
  if (ALLOWED.has(command)) return null;
  const errmsg = `not authorized on farwatch to execute command { ${command}: 1 }`;
  const body = Buffer.from(serialize({ ok: 0, errmsg, code: 13, codeName: 'Unauthorized' }));
  return frameResponse({ requestId: message.readInt32LE(4), opCode }, id, body);
}
