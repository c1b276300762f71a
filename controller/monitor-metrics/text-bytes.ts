const INITIAL_BYTES = 65_536;
/** Shorter texts are written faster here than by Node. */
const MAX_COPIED = 48;

/**
 * Text as bytes: a scrape of 100,000 monitors makes a million lines, which as strings would keep the garbage
 * collector busy.
 */
export class TextBytes {
  #bytes: Buffer;
  /** Takes turns with the other buffer. */
  #other: Buffer | null = null;
  #length = 0;

  constructor(initialBytes = INITIAL_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(initialBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** ASCII only. */
  ascii(text: string): void {
    const { length } = text;
    const bytes = this.#withRoom(length);
    if (length > MAX_COPIED) bytes.write(text, this.#length, 'latin1');
    else for (let at = 0; at < length; at += 1) bytes[this.#length + at] = text.charCodeAt(at);
    this.#length += length;
  }

  utf8(text: string): void {
    const bytes = this.#withRoom(text.length * 3);
    this.#length += bytes.write(text, this.#length);
  }

  /** Copies part of another text. */
  copy(other: TextBytes, start: number, end: number): void {
    const [from, bytes] = [other.#bytes, this.#withRoom(end - start)];
    let to = this.#length;
    for (let at = start; at < end; at += 1, to += 1) bytes[to] = from[at] as number;
    this.#length = to;
  }

  clear(): void {
    this.#length = 0;
  }

  /** The text since the last call, valid until the next but one. */
  take(): Buffer {
    const [taken, length] = [this.#bytes, this.#length];
    this.#bytes = this.#other ?? Buffer.allocUnsafe(this.#bytes.length);
    this.#other = taken;
    this.#length = 0;
    return taken.subarray(0, length);
  }

  #withRoom(length: number): Buffer {
    const needed = this.#length + length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, Math.ceil(this.#bytes.length * 1.5)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}
