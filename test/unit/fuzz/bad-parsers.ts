/** Parsers with faults that the fuzzer must find. */

export function throwsOnPointer(bytes: Uint8Array): void {
  if (bytes.includes(0xc0)) throw new RangeError('pointer');
}

/** Scans all earlier bytes for each byte. */
export function isQuadratic(bytes: Uint8Array): number {
  let pairs = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    for (let before = 0; before < at; before += 1) if (bytes[before] === bytes[at]) pairs += 1;
  }
  return pairs;
}
