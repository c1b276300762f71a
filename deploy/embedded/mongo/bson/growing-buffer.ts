const MIN_CAPACITY = 256;

/** A byte buffer that grows as it is written to. */
export class GrowingBuffer {
  protected buf: Buffer;
  protected pos = 0;

  constructor(capacity = MIN_CAPACITY) {
    this.buf = Buffer.allocUnsafe(Math.max(capacity, MIN_CAPACITY));
  }

  /** Advances by `bytes`, which the caller fills, and returns where they start. */
  protected reserve(bytes: number): number {
    const at = this.pos;
    if (at + bytes > this.buf.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.buf.length * 2, at + bytes));
      this.buf.copy(larger, 0, 0, at);
      this.buf = larger;
    }
    this.pos = at + bytes;
    return at;
  }

  byte(value: number): void {
    const at = this.reserve(1);
    this.buf[at] = value;
  }

  bytes(source: Buffer, from: number, to: number): void {
    const at = this.reserve(to - from);
    source.copy(this.buf, at, from, to);
  }
}
