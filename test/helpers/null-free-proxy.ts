import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { deserialize, serialize, type Document } from 'bson';
import { MongoClient } from 'mongodb';
import { HEADER_BYTES, OpCode } from '../../deploy/embedded/mongo/wire/message.ts';
import { nullFreeCommand } from './null-free-documents.ts';

export interface NullFreeProxy {
  url: string;
  /** Commands that would have stored a null. */
  readonly changed: number;
  close(): Promise<void>;
}

/**
 * A proxy for a MongoDB server that removes every null field from writes, as FerretDB does with `$setOnInsert`. Setting
 * a field to null removes it.
 */
export async function startNullFreeProxy(mongoUrl: string): Promise<NullFreeProxy> {
  const { hosts: [host], dbName } = new MongoClient(mongoUrl).options;
  if (host === undefined) throw new Error('no host to connect to');
  const sockets = new Set<Socket>();
  let changed = 0;
  const server = createServer((near) => {
    const far = host.socketPath === undefined
      ? connect(host.port ?? 27017, host.host ?? '127.0.0.1')
      : connect(host.socketPath);
    let buffered: Buffer = Buffer.alloc(0);
    near.on('data', (chunk: Buffer) => {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      while (buffered.length >= 4 && buffered.length >= buffered.readInt32LE(0)) {
        const size = buffered.readInt32LE(0);
        const sent = buffered.subarray(0, size);
        const message = nullFree(sent);
        if (!message.equals(sent)) changed += 1;
        far.write(message);
        buffered = buffered.subarray(size);
      }
    });
    far.on('data', (chunk: Buffer) => near.write(chunk));
    for (const [one, other] of [[near, far], [far, near]] as const) {
      sockets.add(one);
      one.setNoDelay(true).on('error', () => undefined).on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `mongodb://127.0.0.1:${port}/${dbName}?directConnection=true&retryWrites=false`,
    get changed() {
      return changed;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function nullFree(message: Buffer): Buffer {
  if (message.readInt32LE(12) !== OpCode.message) return message;
  const command = nullFreeCommand(commandOf(message));
  if (command === null) return message;
  const body = serialize(command);
  const head = Buffer.from(message.subarray(0, HEADER_BYTES + 5));
  head[HEADER_BYTES + 4] = 0;
  head.writeInt32LE(head.length + body.length, 0);
  return Buffer.concat([head, body]);
}

/** The command of an OP_MSG, with its document sequences as arrays. */
function commandOf(message: Buffer): Document {
  let command: Document = {};
  const sequences: Document = {};
  for (let at = HEADER_BYTES + 4; at < message.length;) {
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    if (message[at] === 0) command = read(section);
    else {
      const nameEnd = section.indexOf(0, 4);
      sequences[section.toString('latin1', 4, nameEnd)] = documentsOf(section.subarray(nameEnd + 1));
    }
    at += 1 + size;
  }
  return { ...command, ...sequences };
}

function documentsOf(bytes: Buffer): Document[] {
  const found: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    found.push(read(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return found;
}

/** Preserves the type of every number. */
function read(bytes: Buffer): Document {
  return deserialize(bytes, { promoteValues: false });
}
