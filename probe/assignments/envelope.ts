import type { KeyObject } from 'node:crypto';
import type { KeyPair } from 'nkeys.js';
import { signedEnvelope, signedText, type SignedEnvelope } from '../../shared/contracts/assignment.ts';
import { isSignedBy, verificationKey } from '../../shared/nkey-signature.ts';

/** Tolerance for the probe's clock. */
const EXPIRY_LEEWAY_MS = 60_000;

export interface EnvelopeKeys {
  probeId: string;
  /** Opens messages sealed to the probe's curve key. */
  box: Pick<KeyPair, 'open'>;
  /** Ed25519 public key (nkey A…) of the controller, and its curve public key (X…). */
  controllerKey: string;
  controllerBoxKey: string;
}

export type Opened = { ok: true; revision: number; content: unknown } | { ok: false; reason: string };

/** Opens envelopes signed by the controller and sealed for this probe; rejects all others. */
export class EnvelopeOpener {
  readonly #keys: EnvelopeKeys;
  readonly #controller: KeyObject;

  constructor(keys: EnvelopeKeys) {
    this.#keys = keys;
    this.#controller = verificationKey(keys.controllerKey);
  }

  /**
   * Returns the JSON, or why it is rejected: format, purpose, recipient, expiry, signature or seal. Never
   * throws.
   */
  open(bytes: Uint8Array, purpose: SignedEnvelope['purpose'], nowMs: number): Opened {
    try {
      const envelope = signedEnvelope.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
      const problem = this.#problem(envelope, purpose, nowMs);
      if (problem) return { ok: false, reason: problem };
      const opened =
        this.#keys.box.open(Buffer.from(envelope.payload, 'base64'), this.#keys.controllerBoxKey);
      if (!opened) return { ok: false, reason: 'seal' };
      return {
        ok: true, revision: envelope.revision, content: JSON.parse(Buffer.from(opened).toString('utf8')),
      };
    } catch {
      return { ok: false, reason: 'form' };
    }
  }

  #problem(envelope: SignedEnvelope, purpose: SignedEnvelope['purpose'], nowMs: number): string | null {
    if (envelope.purpose !== purpose) return 'purpose';
    if (envelope.probe_id !== this.#keys.probeId) return 'addressee';
    if (envelope.expires_at + EXPIRY_LEEWAY_MS < nowMs) return 'expired';
    return isSignedBy(this.#controller, signedText(envelope), envelope.signature) ? null : 'signature';
  }
}
