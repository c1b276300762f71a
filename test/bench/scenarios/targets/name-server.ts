import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';

/** `late`: responds correctly after LATE_MS. `dangling`: the name is an alias of a nonexistent name. */
export type DnsFault = 'nxdomain' | 'servfail' | 'silent' | 'late' | 'dangling';

const LATE_MS = 5000;
const [TYPE_A, TYPE_CNAME] = [1, 5];
const RCODE = { ok: 0, servfail: 2, nxdomain: 3 };
/** A response, authoritative, with recursion available. */
const RESPONSE_FLAGS = 0x8580;
const ALIAS_TARGET = 'elsewhere.bench.test';

/** A name server (RFC 1035) with one IPv4 address for every name, and an alias record for each. */
export class NameServer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #faults = new Map<string, DnsFault>();
  readonly #address: string;

  /** `address` is returned for every name. */
  constructor(address: string) {
    this.#address = address;
    this.#socket.on('message', (message, peer) => this.#onQuery(message, peer));
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#socket.bind(0, '127.0.0.1', resolve));
    return this;
  }

  /** `address:port`. */
  get endpoint(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Sets the fault for a name; null to respond correctly. */
  set(name: string, fault: DnsFault | null): void {
    if (fault) this.#faults.set(name, fault);
    else this.#faults.delete(name);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #onQuery(message: Buffer, peer: RemoteInfo): void {
    const { name, type, end } = questionOf(message);
    const fault = this.#faults.get(name) ?? null;
    if (fault === 'silent') return;
    const response = this.#buildResponse(message.subarray(0, end), type, fault);
    // The server may have been closed during the delay.
    const send = (): void => this.#socket.send(response, peer.port, peer.address, () => undefined);
    if (fault === 'late') setTimeout(send, LATE_MS).unref();
    else send();
  }

  /** `question`: the message up to the end of its question. */
  #buildResponse(question: Buffer, type: number, fault: DnsFault | null): Buffer {
    const records: Buffer[] = [];
    if (fault === 'dangling') records.push(record(TYPE_CNAME, nameBytes(ALIAS_TARGET)));
    else if (type === TYPE_A && fault !== 'nxdomain' && fault !== 'servfail') {
      records.push(record(TYPE_A, Buffer.from(this.#address.split('.').map(Number))));
    }
    const rcode = fault === 'servfail'
      ? RCODE.servfail
      : fault === 'nxdomain' || fault === 'dangling' ? RCODE.nxdomain : RCODE.ok;
    const head = Buffer.from(question);
    head.writeUInt16BE(RESPONSE_FLAGS | rcode, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt16BE(0, 8);
    head.writeUInt16BE(0, 10);
    return Buffer.concat([head, ...records]);
  }
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = message[at] ?? 0; size > 0; size = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A record for the name in question, with TTL 0. */
function record(type: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
