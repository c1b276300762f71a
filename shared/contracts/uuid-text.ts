const HEX = Object.freeze(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')));

/** The usual form, in lower case, of the 16 bytes from `at` on. */
export function formatUuid(bytes: Uint8Array, at: number): string {
  const h = (offset: number): string => HEX[bytes[at + offset] as number] as string;
  return `${h(0)}${h(1)}${h(2)}${h(3)}-${h(4)}${h(5)}-${h(6)}${h(7)}-${h(8)}${h(9)}-${h(10)}${h(11)}${h(12)}${h(13)}${h(14)}${h(15)}`;
}
