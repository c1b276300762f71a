import { z } from 'zod';

const userKey = z.string().regex(/^U[A-Z2-7]{55}$/);
const boxKey = z.string().regex(/^X[A-Z2-7]{55}$/);
const signature = z.string().min(16).max(256);

/**
 * An order to replace the probe's keys. `known` is the user key that the controllers have of it; `next` the
 * one that it has offered before and that NATS accepts by now, null while it is to offer one, and the same
 * as `known` when all is done.
 */
export const rotateOrder = z.object({ rotate: z.object({ known: userKey, next: userKey.nullable() }) });
export type RotateOrder = z.infer<typeof rotateOrder>;

/** Keys to come, signed over `rotationText` by the known user key and by the new one (base64url). */
export const offeredKeys = z.object({
  public_key: userKey, box_key: boxKey, by_known: signature, by_next: signature,
});
export type OfferedKeys = z.infer<typeof offeredKeys>;

/** The answer: the user key by which the probe is connected, and what it offers if that is the known one. */
export const rotateResponse = z.object({ v: z.literal(1), uses: userKey, next: offeredKeys.nullable() });
export type RotateResponse = z.infer<typeof rotateResponse>;

/** The text that the signatures of an offer cover. */
export function rotationText(
  probeId: string, known: string, next: Pick<OfferedKeys, 'public_key' | 'box_key'>,
): string {
  return ['rotate', probeId, known, next.public_key, next.box_key].join('\n');
}
