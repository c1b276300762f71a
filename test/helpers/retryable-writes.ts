import { deserialize, serialize } from 'bson';
import type { Request } from '../../deploy/embedded/mongo/wire/message.ts';

const TRANSACTION_TOO_OLD = 225;

/**
 * The retryable writes of all clients, as members of a replica set share them: a write that is sent again gets the
 * stored response.
 */
export class RetryableWrites {
  /** The latest one of each session. */
  readonly #latest = new Map<string, { number: bigint; response: Promise<Uint8Array> }>();

  /** Executes a command, unless it is a write that has been executed before. Failed ones may be sent again. */
  once(request: Request, execute: (request: Request) => Promise<Uint8Array>): Promise<Uint8Array> {
    const { lsid, txnNumber, ...fields } = Object.fromEntries(request.fields);
    if (!lsid || !txnNumber) return execute(request);
    const session = lsid.buf.toString('base64', lsid.at, lsid.end);
    const number = txnNumber.buf.readBigInt64LE(txnNumber.at);
    const latest = this.#latest.get(session);
    if (latest?.number === number) return latest.response;
    if (latest && latest.number > number) {
      return Promise.resolve(serialize({ ok: 0, code: TRANSACTION_TOO_OLD, errmsg: 'a later write was sent' }));
    }
    const response = execute({ ...request, fields: new Map(Object.entries({ lsid, ...fields })) });
    this.#latest.set(session, { number, response });
    void response.then((body) => {
      if (deserialize(body)['ok'] !== 1) this.#latest.delete(session);
    });
    return response;
  }
}
