import type { ByteReader, ByteWriter } from '../../../shared/contracts/bytes.ts';

/**
 * Marks a constant column, followed by the value. Otherwise: the Rice parameter k plus one, the median, and
 * each zigzag distance from it as a run of ones (distance / 2^k), a zero, and k remainder bits. For a bell
 * curve this is within a tenth of a bit of the optimum.
 */
const CONSTANT = 0;
/** After a run this long, the distance follows in full, so no outlier takes more than 74 bits. */
const ESCAPE_RUN = 20;
const WHOLE_BITS = 54;
const LARGEST_PARAMETER = 38;
const SAMPLE = 63;

/** Writes the first `count` values. */
export function writeColumn(out: ByteWriter, values: Float64Array, count = values.length): void {
  const first = values[0] ?? 0;
  if (count === 0 || isConstant(values, count)) {
    out.u8(CONSTANT);
    out.zigzag(count === 0 ? 0 : first);
    return;
  }
  const sample = sampleOf(values, count).sort();
  const middle = sample[sample.length >> 1] as number;
  const quartiles = (sample[(sample.length * 3) >> 2] as number) - (sample[sample.length >> 2] as number);
  const distances = new Float64Array(count);
  for (let at = 0; at < count; at += 1) distances[at] = zigzag((values[at] as number) - middle);
  const { k, bits } = bestParameter(distances, quartiles);
  out.u8(k + 1);
  out.zigzag(middle);
  const size = Math.ceil(bits / 8);
  out.varint(size);
  writeRice(out.reserve(size), distances, k);
}

/**
 * A sample for the median and the quartiles, because sorting all values would dominate the cost.
 * Pseudo-random with a fixed seed: even steps could match the order in which regions alternate.
 */
function sampleOf(values: Float64Array, count: number): Float64Array {
  if (count <= SAMPLE) return values.slice(0, count);
  const sample = new Float64Array(SAMPLE);
  let random = 1;
  for (let index = 0; index < SAMPLE; index += 1) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    sample[index] = values[Math.floor((random / 2 ** 32) * count)] as number;
  }
  return sample;
}

function isConstant(values: Float64Array, count: number): boolean {
  const first = values[0];
  for (let at = 1; at < count; at += 1) if (values[at] !== first) return false;
  return true;
}

/** Fills `values`. @throws RangeError on bytes not written by writeColumn. */
export function readColumn(from: ByteReader, values: Float64Array): void {
  const mode = from.u8();
  const middle = from.zigzag();
  values.fill(middle);
  if (mode === CONSTANT) return;
  if (mode > LARGEST_PARAMETER + 1) throw new RangeError('invalid column parameter');
  const bits = new BitReader(from.bytes());
  for (let at = 0; at < values.length; at += 1) values[at] = middle + unzigzag(readRice(bits, mode - 1));
}

/**
 * The parameter with the fewest bits. Tries only the neighbours of the logarithm of the interquartile
 * distance, which a single outlier does not move.
 */
function bestParameter(distances: Float64Array, quartiles: number): { k: number; bits: number } {
  const guess = Math.min(LARGEST_PARAMETER - 1, Math.floor(Math.log2(quartiles + 1)));
  let best = guess;
  let fewest = Infinity;
  for (let k = Math.max(0, guess - 2); k <= guess + 1; k += 1) {
    const scale = 2 ** -k;
    let bits = 0;
    for (let index = 0; index < distances.length; index += 1) {
      const run = Math.floor((distances[index] as number) * scale);
      bits += run >= ESCAPE_RUN ? ESCAPE_RUN + WHOLE_BITS : run + 1 + k;
    }
    if (bits < fewest) [best, fewest] = [k, bits];
  }
  return { k: best, bits: fewest };
}

/** Fills `to`, which has room for exactly these bits. */
function writeRice(to: Uint8Array, distances: Float64Array, k: number): void {
  const bits = new BitWriter(to);
  const size = 2 ** k;
  const low = Math.min(k, 20);
  for (let index = 0; index < distances.length; index += 1) {
    const distance = distances[index] as number;
    const run = Math.floor(distance / size);
    if (run >= ESCAPE_RUN) {
      writeWhole(bits, distance);
      continue;
    }
    bits.put((2 << run) - 2, run + 1);
    const rest = distance - run * size;
    if (k > 20) bits.put(Math.floor(rest / 2 ** 20), k - 20);
    bits.put(rest % (1 << low), low);
  }
  bits.end();
}

function writeWhole(bits: BitWriter, distance: number): void {
  bits.put(2 ** ESCAPE_RUN - 1, ESCAPE_RUN);
  bits.put(Math.floor(distance / 2 ** 36), WHOLE_BITS - 36);
  bits.put(Math.floor(distance / 2 ** 18) % 2 ** 18, 18);
  bits.put(distance % 2 ** 18, 18);
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
  readonly #bytes: Uint8Array;
  #length = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Writes the lowest `count` bits (at most 21) of an integer, highest first. */
  put(value: number, count: number): void {
    this.#pending = (this.#pending << count) | value;
    this.#pendingBits += count;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.#bytes[this.#length++] = this.#pending >>> this.#pendingBits;
    }
    this.#pending &= (1 << this.#pendingBits) - 1;
  }

  end(): void {
    if (this.#pendingBits > 0) this.#bytes[this.#length++] = this.#pending << (8 - this.#pendingBits);
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
      if (byte === undefined) throw new RangeError('the column ends too early');
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
      this.#at += 1;
    }
    return value;
  }
}
