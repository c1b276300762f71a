import type { ByteReader } from '../../shared/contracts/byte-reader.ts';
import type { ByteWriter } from '../../shared/contracts/byte-writer.ts';

/**
 * A column of integers that lie about one another. Where all are the same: 0 and the value. Else one more than the Rice
 * parameter k, the middle value, and the bits of each distance from it (zigzag): a run of ones for the distance divided
 * by 2^k, a zero, and k bits of rest. For a bell curve that is within a tenth of a bit of the best there is.
 */
const CONSTANT = 0;
/** A run this long says that the distance follows whole: no outlier costs more than 74 bits. */
const ESCAPE_RUN = 20;
const WHOLE_BITS = 54;
const LARGEST_PARAMETER = 38;

export function writeColumn(out: ByteWriter, values: number[]): void {
  const first = values[0] ?? 0;
  if (values.every((value) => value === first)) {
    out.u8(CONSTANT);
    out.zigzag(first);
    return;
  }
  const middle = [...values].sort((a, b) => a - b)[values.length >> 1] as number;
  const distances = values.map((value) => zigzag(value - middle));
  const k = bestParameter(distances);
  out.u8(k + 1);
  out.zigzag(middle);
  const bits = new BitWriter();
  for (const distance of distances) writeRice(bits, distance, k);
  out.bytes(bits.take());
}

/** @throws RangeError on bytes that no writeColumn wrote. */
export function readColumn(from: ByteReader, count: number): number[] {
  const mode = from.u8();
  const middle = from.zigzag();
  if (mode === CONSTANT) return Array.from({ length: count }, () => middle);
  if (mode > LARGEST_PARAMETER + 1) throw new RangeError('a column has no such parameter');
  const bits = new BitReader(from.bytes());
  return Array.from({ length: count }, () => middle + unzigzag(readRice(bits, mode - 1)));
}

/** The parameter with the fewest bits in all; one far outlier must not decide it. */
function bestParameter(distances: number[]): number {
  const largest = Math.max(...distances);
  let best = 0;
  let fewest = Infinity;
  for (let k = 0; k <= LARGEST_PARAMETER && 2 ** k <= largest * 2; k += 1) {
    let bits = 0;
    for (const distance of distances) {
      const run = Math.floor(distance / 2 ** k);
      bits += run >= ESCAPE_RUN ? ESCAPE_RUN + WHOLE_BITS : run + 1 + k;
    }
    if (bits < fewest) [best, fewest] = [k, bits];
  }
  return best;
}

function writeRice(bits: BitWriter, distance: number, k: number): void {
  const run = Math.floor(distance / 2 ** k);
  if (run >= ESCAPE_RUN) {
    bits.ones(ESCAPE_RUN);
    bits.number(distance, WHOLE_BITS);
    return;
  }
  bits.ones(run);
  bits.number(0, 1);
  bits.number(distance % 2 ** k, k);
}

function readRice(bits: BitReader, k: number): number {
  let run = 0;
  while (run < ESCAPE_RUN && bits.number(1) === 1) run += 1;
  return run === ESCAPE_RUN ? bits.number(WHOLE_BITS) : run * 2 ** k + bits.number(k);
}

function zigzag(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

class BitWriter {
  readonly #bytes: number[] = [];
  #current = 0;
  #used = 0;

  ones(count: number): void {
    for (let left = count; left > 0; left -= 1) this.#bit(1);
  }

  /** The lowest `count` bits of a whole number, highest first. */
  number(value: number, count: number): void {
    for (let at = count - 1; at >= 0; at -= 1) this.#bit(at < 31 ? (value >>> at) & 1 : Math.floor(value / 2 ** at) % 2);
  }

  take(): Uint8Array {
    const bytes = [...this.#bytes];
    if (this.#used > 0) bytes.push(this.#current << (8 - this.#used));
    return Uint8Array.from(bytes);
  }

  #bit(bit: number): void {
    this.#current = (this.#current << 1) | bit;
    this.#used += 1;
    if (this.#used < 8) return;
    this.#bytes.push(this.#current);
    this.#current = 0;
    this.#used = 0;
  }
}

class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left -= 1) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('the bits end too early');
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
      this.#at += 1;
    }
    return value;
  }
}
