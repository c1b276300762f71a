/**
 * The URL in a text, as seen from `base` if it is relative; null if there is none. In place of URL.canParse:
 * once Node has optimized that, it reads characters from 128 to 255 as UTF-8, and `new URL` throws after all.
 */
export function parsedUrl(text: string, base?: URL | string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
