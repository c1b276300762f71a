import { SignedToken } from '../../access/signed-token.ts';

/** The incident of an alert, and who received it. */
export interface AlertRecipient {
  incidentId: string;
  destinationId: string;
  /** An email address, or what identifies the receiver on other channels. */
  recipient: string;
}

/** Longer recipients, such as URLs, are left out of the token: the destination identifies them. */
const MAX_RECIPIENT_BYTES = 320;

/** Signed tokens in the links of alerts. Holding one authorizes acknowledging that incident. */
export class AcknowledgeTokens {
  readonly #signedToken: SignedToken;

  /** `keys` have 256 bits. The first key signs; all keys verify. */
  constructor(keys: readonly Uint8Array[]) {
    this.#signedToken = new SignedToken(keys);
  }

  issue({ incidentId, destinationId, recipient }: AlertRecipient): string {
    const shown = Buffer.byteLength(recipient) > MAX_RECIPIENT_BYTES ? '' : recipient;
    return this.#signedToken.issue(`${incidentId} ${destinationId} ${shown}`);
  }

  /** Null if none of the keys signed the token. */
  read(token: string): AlertRecipient | null {
    const payload = this.#signedToken.read(token);
    if (payload === null) return null;
    const [incidentId = '', destinationId = '', ...recipient] = payload.split(' ');
    return { incidentId, destinationId, recipient: recipient.join(' ') };
  }
}
