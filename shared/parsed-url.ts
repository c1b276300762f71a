/**
 * The URL in a text, resolved against `base`; null if invalid. Replaces URL.canParse: after optimization,
 * Node reads characters 128 to 255 as UTF-8 there, and `new URL` still throws.
 */
export function parsedUrl(text: string, base?: URL | string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
