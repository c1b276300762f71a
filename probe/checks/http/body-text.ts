/** How far into a page a `meta` element names its charset (WHATWG HTML, 13.2.3.2). */
const META_BYTES = 1024;
const META = /<meta[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i;

/**
 * The text of a body. Its charset is that of a byte order mark, else of the Content-Type, else of a `meta`
 * element, where each is known; otherwise UTF-8, or Windows-1252 if it is not valid UTF-8.
 */
export function textOfBody(bytes: Buffer, contentType: string | null): string {
  const labels = [markOf(bytes), charsetOf(contentType), metaCharset(bytes)];
  for (const label of labels) {
    const decoder = label === null ? null : decoderFor(label);
    if (decoder) return decoder.decode(bytes);
  }
  try {
    // As a stream: a body that was cut may end in the middle of a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label);
  } catch {
    // No charset has that name.
    return null;
  }
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : null;
}

function charsetOf(contentType: string | null): string | null {
  return /;\s*charset\s*=\s*"?\s*([\w:.-]+)/i.exec(contentType ?? '')?.[1] ?? null;
}

function metaCharset(bytes: Buffer): string | null {
  const label = META.exec(bytes.toString('latin1', 0, META_BYTES))?.[1] ?? null;
  // It was readable as ASCII, so it cannot be UTF-16 whatever it says.
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label;
}
