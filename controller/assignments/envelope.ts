import {
  signedText, type AssignmentDelta, type ConfirmOrder, type RunOrder, type SignedEnvelope,
} from '../../shared/contracts/assignment.ts';
import type { ExamineOrder } from '../../shared/contracts/examination.ts';
import type { RotateOrder } from '../../shared/contracts/key-rotation.ts';
import type { MeshOrder } from '../../shared/contracts/mesh.ts';
import type { Clock } from '../../shared/time.ts';
import type { ControllerKeys } from '../platform/bus/nkeys.ts';
import type { EnrolledProbe } from '../probes/probe.ts';

const HOUR_MS = 3_600_000;
/** Long, because a probe's clock may be off by an hour. A set on the probe's disk is already verified. */
const LIFETIME_MS = { assign: 24 * HOUR_MS, sync: 24 * HOUR_MS, run: 2 * HOUR_MS };

type Recipient = Pick<EnrolledProbe, '_id' | 'box_key'>;

/** Seals messages so that only their probe can read them and only a controller can have created them. */
export class EnvelopeSealer {
  readonly #keys: ControllerKeys;
  readonly #clock: Clock;

  constructor(keys: ControllerKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  seal(
    purpose: SignedEnvelope['purpose'], to: Recipient,
    content: AssignmentDelta | RunOrder | ConfirmOrder | RotateOrder | MeshOrder | ExamineOrder,
  ): string {
    const sealed = this.#keys.seal(Buffer.from(JSON.stringify(content), 'utf8'), to.box_key);
    const unsigned = {
      purpose,
      probe_id: to._id,
      revision: 'revision' in content ? content.revision : 0,
      expires_at: this.#clock.now() + LIFETIME_MS[purpose],
      payload: Buffer.from(sealed).toString('base64'),
    };
    const envelope: SignedEnvelope = { v: 1, ...unsigned, signature: this.#keys.sign(signedText(unsigned)) };
    return JSON.stringify(envelope);
  }
}
