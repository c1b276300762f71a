import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import type { Clock } from '../../../shared/time.ts';
import { setDeadlineTimer } from '../deadline.ts';
import type { NameServer } from '../network/system-servers.ts';
import { queryMessage } from './question.ts';
import { readResponse, type DnsResponse } from './response.ts';
import type { NoResponse, Query } from './udp-sockets.ts';

/** Length prefix of each message (RFC 1035, 4.2.2). */
const LENGTH_BYTES = 2;

/** Sends one query over its own connection and reads the first message, at most 64 kB. Never rejects. */
export function queryByTcp(
  clock: Clock, { address, port }: NameServer, { question, withEdns, timeoutMs }: Query,
): Promise<DnsResponse | NoResponse> {
  return new Promise((resolve) => {
    const id = randomInt(0x10000);
    const socket = connect({ host: address, port });
    const finish = (response: DnsResponse | NoResponse): void => {
      timer.cancel();
      socket.destroy();
      resolve(response);
    };
    const timer = setDeadlineTimer(clock, timeoutMs, () => finish({ kind: 'silent', hadUnrelated: false }));
    const message = new LengthPrefixed();
    socket.on('connect', () => {
      const query = queryMessage(question, id, withEdns);
      socket.write(Buffer.concat([Buffer.from([query.length >> 8, query.length & 0xff]), query]));
    });
    socket.on('data', (piece: Buffer) => {
      const whole = message.push(piece);
      if (whole) finish(readResponse(whole, question, id));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      finish({ kind: 'down', code: error.code ?? 'EUNKNOWN' });
    });
    socket.on('close', () => finish({ kind: 'down', code: 'CLOSED' }));
  });
}

/** Reassembles one length-prefixed message. */
class LengthPrefixed {
  #part = Buffer.alloc(LENGTH_BYTES);
  #filled = 0;
  #isLengthKnown = false;

  /** The message once complete; ignores what follows it. */
  push(piece: Buffer): Buffer | null {
    for (let at = 0; ;) {
      const size = piece.copy(this.#part, this.#filled, at);
      this.#filled += size;
      at += size;
      if (this.#filled < this.#part.length) return null;
      if (this.#isLengthKnown) return this.#part;
      this.#isLengthKnown = true;
      this.#part = Buffer.allocUnsafe(this.#part.readUInt16BE(0));
      this.#filled = 0;
    }
  }
}
