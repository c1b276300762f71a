import type { z } from 'zod';

/** Messages on the bus are at most this long unless their decoder says otherwise. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** Reads JSON. Returns null when it is longer than `maxBytes`, is no JSON, or does not match the schema. */
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
