import { signedText, type AssignmentDelta, type RunOrder, type SignedEnvelope } from '../../shared/contracts/assignment.ts';
import type { Clock } from '../../shared/time.ts';
import type { ControllerKeys } from '../platform/bus/nkeys.ts';

const HOUR_MS = 3_600_000;
/** Wide, since a probe's clock may be off by an hour; a set that is on its disk is verified already. */
const LIFETIME_MS: Record<SignedEnvelope['purpose'], number> = { assign: 24 * HOUR_MS, sync: 24 * HOUR_MS, run: 2 * HOUR_MS };

export interface Recipient {
  probeId: string;
  /** Public curve key, X…. */
  boxKey: string;
}

/** Puts what controllers tell a probe into an envelope that only that probe can read and nobody else can have made. */
export class EnvelopeSealer {
  readonly #keys: ControllerKeys;
  readonly #clock: Clock;

  constructor(keys: ControllerKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  delta(purpose: 'assign' | 'sync', to: Recipient, delta: AssignmentDelta): string {
    return this.#seal(purpose, to, delta.revision, delta);
  }

  run(to: Recipient, order: RunOrder): string {
    return this.#seal('run', to, 0, order);
  }

  #seal(purpose: SignedEnvelope['purpose'], to: Recipient, revision: number, content: unknown): string {
    const sealed = this.#keys.seal(Buffer.from(JSON.stringify(content), 'utf8'), to.boxKey);
    const unsigned = {
      purpose,
      probe_id: to.probeId,
      revision,
      expires_at: this.#clock.now() + LIFETIME_MS[purpose],
      payload: Buffer.from(sealed).toString('base64'),
    };
    const envelope: SignedEnvelope = { v: 1, ...unsigned, signature: this.#keys.sign(signedText(unsigned)) };
    return JSON.stringify(envelope);
  }
}
