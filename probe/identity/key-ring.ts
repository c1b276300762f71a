import type { KeyPair } from 'nkeys.js';
import {
  rotationText, type OfferedKeys, type RotateOrder, type RotateResponse,
} from '../../shared/contracts/key-rotation.ts';
import type { Log } from '../../shared/log.ts';
import { newKeys, type Identity, type ProbeKeys } from './identity.ts';

interface KeyRingDeps {
  identity: Identity;
  /** Resolves when it is on disk. */
  save(identity: Identity): Promise<void>;
  /** Reconnects with this user seed. Resolves to false, with nothing changed, if NATS rejects it. */
  reconnect(seed: Uint8Array): Promise<boolean>;
  log: Log;
}

/**
 * The probe's keys and their rotation by the controllers. The keys on disk always work: new keys are saved
 * before they are offered, and replace the current ones once NATS accepts them. Controllers revoke the former
 * keys only after learning of that.
 */
export class KeyRing {
  readonly #deps: KeyRingDeps;
  #identity: Identity;
  /** Serializes orders and writes. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: KeyRingDeps) {
    this.#deps = deps;
    this.#identity = deps.identity;
  }

  /** Runs one step of a rotation. Rejects if the order names a key that isn't ours, or a write fails. */
  rotate({ rotate: { known, next } }: RotateOrder): Promise<RotateResponse> {
    return this.#inTurn(async () => {
      if (nameOf(this.#identity.former) === known) return this.#response(null);
      if (nameOf(this.#identity) !== known) throw new Error('the controllers know this probe by a different key');
      if (next === known) return this.#response(null);
      const offered = this.#identity.next ?? await this.#prepare();
      if (nameOf(offered) === next && (await this.#deps.reconnect(offered.user.getSeed()))) {
        await this.#adopt(offered);
        return this.#response(null);
      }
      return this.#response(this.#offer(known, offered));
    });
  }

  /** Opens a message from `sender` (X…) sealed to one of our keys; null if it isn't for us. */
  open(sealed: Uint8Array, sender: string): Uint8Array | null {
    const { box, former } = this.#identity;
    const opened = box.open(sealed, sender);
    // Sealed to the current keys, so the controllers know them and the former ones are obsolete.
    if (opened && former) void this.#inTurn(() => this.#forget(former)).catch(() => undefined);
    return opened ?? former?.box.open(sealed, sender) ?? null;
  }

  async #prepare(): Promise<ProbeKeys> {
    const next = newKeys();
    await this.#store({ ...this.#identity, next });
    return next;
  }

  async #adopt({ user, box }: ProbeKeys): Promise<void> {
    const { next: _adopted, ...former } = this.#identity;
    await this.#store({ ...former, user, box, former });
    this.#deps.log.info('keys rotated');
  }

  async #forget(keys: ProbeKeys): Promise<void> {
    const { former, ...rest } = this.#identity;
    if (former === keys) await this.#store(rest);
  }

  async #store(identity: Identity): Promise<void> {
    await this.#deps.save(identity);
    this.#identity = identity;
  }

  #offer(known: string, { user, box }: ProbeKeys): OfferedKeys {
    const next = { public_key: user.getPublicKey(), box_key: box.getPublicKey() };
    const text = Buffer.from(rotationText(this.#identity.enrolment.probe_id, known, next));
    const signed = (by: KeyPair) => Buffer.from(by.sign(text)).toString('base64url');
    return { ...next, by_known: signed(this.#identity.user), by_next: signed(user) };
  }

  #response(next: OfferedKeys | null): RotateResponse {
    return { v: 1, uses: this.#identity.user.getPublicKey(), next };
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function nameOf(keys: ProbeKeys | undefined): string | undefined {
  return keys?.user.getPublicKey();
}
