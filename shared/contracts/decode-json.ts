import type { z } from 'zod';

/** Default limit for messages on the bus. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** Parses JSON. Returns null if it is longer than `maxBytes`, malformed, or doesn't match the schema. */
export function decodeJson<T>(
  schema: z.ZodType<T>, bytes: Uint8Array, maxBytes = MAX_MESSAGE_BYTES,
): T | null {
  if (bytes.length > maxBytes) return null;
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
