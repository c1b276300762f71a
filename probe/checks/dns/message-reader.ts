/** Maximum pointers per name: a name can't have more labels. */
const MAX_POINTERS = 127;
const MAX_NAME_BYTES = 255;
const PLAIN = /^[a-z0-9_-]+$/;

/**
 * Reads the parts of a DNS message (RFC 1035, 4) starting at `at`. Malformed data, or data past the end,
 * reads as zeros or an empty text and sets `isBroken` permanently.
 */
export class MessageReader {
  readonly bytes: Buffer;
  at: number;
  isBroken = false;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  u8(): number {
    return this.#number(1);
  }

  u16(): number {
    return this.#number(2);
  }

  u32(): number {
    return this.#number(4);
  }

  /** A view of the next `size` bytes, not a copy. */
  take(size: number): Buffer {
    const from = this.at;
    this.skip(size);
    return this.isBroken ? this.bytes.subarray(0, 0) : this.bytes.subarray(from, this.at);
  }

  skip(size: number): void {
    if (size < 0 || this.at + size > this.bytes.length) this.isBroken = true;
    else this.at += size;
  }

  /**
   * A name in lower case without a trailing dot; `.` for the root. Bytes other than letters, digits, `-` and
   * `_` are escaped, so that dots in labels are unambiguous. Pointers must point before the part of the name
   * already read.
   */
  name(): string {
    const { bytes } = this;
    let [at, start, end] = [this.at, this.at, -1];
    let [text, octets, pointers] = ['', 1, 0];
    for (;;) {
      const size = bytes[at];
      const next = bytes[at + 1];
      if (size === 0) break;
      if (size === undefined || next === undefined) return this.#broken();
      if (size >= 0xc0) {
        if (end < 0) end = at + 2;
        at = ((size & 0x3f) << 8) | next;
        pointers += 1;
        if (at >= start || pointers > MAX_POINTERS) return this.#broken();
        start = at;
      } else {
        octets += size + 1;
        if (size > 63 || octets > MAX_NAME_BYTES || at + size >= bytes.length) return this.#broken();
        const label = labelText(bytes.toString('latin1', at + 1, at + 1 + size));
        text = text === '' ? label : `${text}.${label}`;
        at += size + 1;
      }
    }
    this.at = end < 0 ? at + 1 : end;
    return text === '' ? '.' : text;
  }

  #broken(): string {
    this.isBroken = true;
    return '';
  }

  #number(size: 1 | 2 | 4): number {
    const from = this.at;
    this.skip(size);
    return this.isBroken ? 0 : this.bytes.readUIntBE(from, size);
  }
}

function labelText(label: string): string {
  if (PLAIN.test(label)) return label;
  return label.replace(/[^a-z0-9_-]/g, (character) => {
    if (character >= 'A' && character <= 'Z') return character.toLowerCase();
    const isVisible = character > ' ' && character < '\x7f';
    if (!isVisible) return `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
    return /[.\\";()@$]/.test(character) ? `\\${character}` : character;
  });
}
