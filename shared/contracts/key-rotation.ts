import { z } from 'zod';

const userKey = z.string().regex(/^U[A-Z2-7]{55}$/);
const boxKey = z.string().regex(/^X[A-Z2-7]{55}$/);
const signature = z.string().min(16).max(256);

/**
 * An order to rotate the probe's keys. `known` is its user key known to the controllers. `next` is the
 * offered key once NATS accepts it, null while the probe has yet to offer one, and equal to `known` when
 * done.
 */
export const rotateOrder = z.object({ rotate: z.object({ known: userKey, next: userKey.nullable() }) });
export type RotateOrder = z.infer<typeof rotateOrder>;

/** The probe's next keys, signed over `rotationText` by the known user key and the new one (base64url). */
export const offeredKeys = z.object({
  public_key: userKey, box_key: boxKey, by_known: signature, by_next: signature,
});
export type OfferedKeys = z.infer<typeof offeredKeys>;

/** The response: the user key the probe is connected with, and its offer if that is the known key. */
export const rotateResponse = z.object({ v: z.literal(1), uses: userKey, next: offeredKeys.nullable() });
export type RotateResponse = z.infer<typeof rotateResponse>;

/** The text that an offer's signatures cover. */
export function rotationText(
  probeId: string, known: string, next: Pick<OfferedKeys, 'public_key' | 'box_key'>,
): string {
  return ['rotate', probeId, known, next.public_key, next.box_key].join('\n');
}
