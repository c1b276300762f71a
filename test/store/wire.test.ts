import { connect, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deserialize, serialize, type Document } from 'bson';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedMongo, type EmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';

// The protocol from MongoDB's manual, "MongoDB Wire Protocol": OP_MSG sections, flag bits, OP_QUERY.
let dir: string;
let server: EmbeddedMongo;
const bugs: unknown[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-wire-'));
  const onError = (_message: string, error: unknown): void => void bugs.push(error);
  server = await startEmbeddedMongo({ dir: join(dir, 'data'), socketPath: join(dir, 'm.sock'), onError });
});

afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A raw connection that sends bytes and collects complete replies. */
class Wire {
  readonly socket: Socket;
  private received = Buffer.alloc(0);
  private isClosed = false;
  private wake: () => void = () => undefined;

  constructor() {
    this.socket = connect(join(dir, 'm.sock'));
    this.socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  /** The next reply's bytes; null when the server closed instead. */
  async reply(): Promise<Buffer | null> {
    for (;;) {
      const size = this.received.length >= 4 ? this.received.readInt32LE(0) : Infinity;
      if (this.received.length >= size) {
        const message = this.received.subarray(0, size);
        this.received = this.received.subarray(size);
        return message;
      }
      if (this.isClosed) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async ask(message: Buffer): Promise<Document | null> {
    this.socket.write(message);
    const reply = await this.reply();
    return reply === null ? null : deserialize(reply.subarray(reply.readInt32LE(12) === 2013 ? 21 : 36));
  }
}

function message(opCode: number, body: Buffer, requestId = 7): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(opCode, 12);
  return Buffer.concat([head, body]);
}

function section(command: Document): Buffer {
  return Buffer.concat([Buffer.from([0]), serialize(command)]);
}

function sequence(name: string, docs: readonly Document[]): Buffer {
  const body = Buffer.concat([Buffer.from(`${name}\0`), ...docs.map((doc) => serialize(doc))]);
  const size = Buffer.alloc(4);
  size.writeInt32LE(4 + body.length);
  return Buffer.concat([Buffer.from([1]), size, body]);
}

function opMsg(flags: number, ...sections: Buffer[]): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(flags);
  return message(2013, Buffer.concat([bits, ...sections]));
}

function opQuery(ns: string, command: Document): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeInt32LE(-1, 4);
  return message(2004, Buffer.concat([Buffer.alloc(4), Buffer.from(`${ns}\0`), numbers, serialize(command)]));
}

test('the server answers an OP_QUERY greeting with OP_REPLY', async () => {
  const wire = new Wire();
  wire.socket.write(opQuery('admin.$cmd', { ismaster: 1, helloOk: true }));
  const reply = (await wire.reply())!;
  expect([reply.readInt32LE(8), reply.readInt32LE(12), reply.readInt32LE(32)]).toEqual([7, 1, 1]);
  expect(deserialize(reply.subarray(36))).toMatchObject({
    ok: 1, helloOk: true, isWritablePrimary: true, maxBsonObjectSize: 16777216, minWireVersion: 0,
  });
  wire.socket.destroy();
});

test('document sequences may come before or after the body', async () => {
  const wire = new Wire();
  const body = section({ insert: 'seq', $db: 'w', ordered: false });
  const before = opMsg(0, sequence('documents', [{ _id: 1 }, { _id: 2 }]), body);
  const after = opMsg(0, body, sequence('documents', [{ _id: 3 }]));
  expect(await wire.ask(before)).toMatchObject({ ok: 1, n: 2 });
  expect(await wire.ask(after)).toMatchObject({ ok: 1, n: 1 });
  wire.socket.destroy();
});

test('a message that requests no reply is executed without one', async () => {
  const wire = new Wire();
  wire.socket.write(opMsg(2, section({ insert: 'quiet', documents: [{ _id: 1 }], $db: 'w' })));
  const found = await wire.ask(opMsg(0, section({ find: 'quiet', $db: 'w' })));
  expect(found).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
  wire.socket.destroy();
});

test('messages that arrive in pieces or together get their replies in order', async () => {
  const wire = new Wire();
  const body = Buffer.concat([Buffer.alloc(4), section({ ping: 1, $db: 'w' })]);
  const all = Buffer.concat(Array.from({ length: 20 }, (_, i) => message(2013, body, i)));
  for (let at = 0; at < all.length; at += 7) wire.socket.write(all.subarray(at, at + 7));
  for (let i = 0; i < 20; i++) expect((await wire.reply())!.readInt32LE(8)).toBe(i);
  wire.socket.destroy();
});

test.each<[string, Buffer]>([
  ['an unknown required flag', opMsg(4, section({ ping: 1, $db: 'w' }))],
  ['a checksum', opMsg(1, section({ ping: 1, $db: 'w' }), Buffer.alloc(4))],
  ['no body', opMsg(0)],
  ['two bodies', opMsg(0, section({ ping: 1 }), section({ ping: 1 }))],
  ['a section of unknown kind', opMsg(0, Buffer.from([2, 5, 0, 0, 0, 0]))],
  [
    'two sequences of one name',
    opMsg(0, section({ insert: 'x', $db: 'w' }), sequence('d', [{}]), sequence('d', [{}])),
  ],
  ['an unknown opcode', message(2012, Buffer.alloc(20))],
  ['a query other than a greeting', opQuery('w.things', { a: 1 })],
])('%s gets an error and ends the connection', async (_name, bytes) => {
  const wire = new Wire();
  expect(await wire.ask(bytes)).toMatchObject({ ok: 0, code: 17 });
  expect(await wire.reply()).toBeNull();
});

const SIZES = [0, 15, -1, 48_000_001, 2 ** 31 - 1];
test.each(SIZES)('a message with a declared length of %d bytes ends the connection', async (size) => {
  const wire = new Wire();
  const bytes = opMsg(0, section({ ping: 1, $db: 'w' }));
  bytes.writeInt32LE(size, 0);
  wire.socket.write(bytes);
  expect(await wire.reply()).toBeNull();
});

test('random bytes and damaged messages never stop the server', async () => {
  const doc = { _id: 1, b: 'text', c: [1, { d: null }], e: new Date(0), f: -1.5 };
  const insert = section({ insert: 'fuzz', ordered: true, $db: 'w', lsid: { id: 1 } });
  const good = opMsg(0, insert, sequence('documents', [doc]));
  const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  const damaged = damage.map((spots) => {
    const copy = Buffer.from(good);
    for (const [at, byte] of spots) if (at > 3) copy[at] = byte;
    return copy;
  });
  const cut = fc.nat(good.length - 1).map((length) => {
    const copy = Buffer.from(good.subarray(0, Math.max(16, length)));
    copy.writeInt32LE(copy.length, 0);
    return copy;
  });
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, cut, noise), async (bytes) => {
      const wire = new Wire();
      wire.socket.end(bytes);
      await wire.reply();
      wire.socket.destroy();
      const healthy = new Wire();
      expect(await healthy.ask(opMsg(0, section({ ping: 1, $db: 'w' })))).toMatchObject({ ok: 1 });
      healthy.socket.destroy();
    }),
    { numRuns: 400 },
  );
  expect(bugs).toEqual([]);
});
