import type { Random } from '../../simulation/random.ts';

export const MAX_INPUT_BYTES = 65_536;

/** Bytes with a meaning in formats: ends, separators, lengths, pointers, signs. */
const SIGNIFICANT_BYTES = Buffer.from([0, 1, 9, 10, 13, 32, 34, 44, 45, 46, 48, 57, 58, 61, 92, 127, 128, 192, 254, 255]);
const SIGNIFICANT_NUMBERS = [0, 1, 12, 127, 128, 255, 256, 0x3fff, 0x7fff, 0x8000, 0xc000, 0xc00c, 0xfffe, 0xffff];

type Mutation = (bytes: Buffer, random: Random, seeds: readonly Buffer[]) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  function setByte(bytes, random) {
    return set(bytes, random, (at) => bytes.writeUInt8(random.int(0, 255), at));
  },
  function setSignificantByte(bytes, random) {
    return set(bytes, random, (at) => {
      bytes.writeUInt8(SIGNIFICANT_BYTES[random.int(0, SIGNIFICANT_BYTES.length - 1)] as number, at);
    });
  },
  function flipBit(bytes, random) {
    return set(bytes, random, (at) => bytes.writeUInt8((bytes[at] as number) ^ (1 << random.int(0, 7)), at));
  },
  function setNumber(bytes, random) {
    if (bytes.length < 2) return bytes;
    bytes.writeUInt16BE(random.pick(SIGNIFICANT_NUMBERS), random.int(0, bytes.length - 2));
    return bytes;
  },
  function insert(bytes, random) {
    return replaceAt(bytes, random, 0, noise(random, random.int(1, 8)));
  },
  function remove(bytes, random) {
    return replaceAt(bytes, random, random.int(1, 16), Buffer.alloc(0));
  },
  function repeatPart(bytes, random) {
    const part = partOf(bytes, random);
    const times = random.chance(0.02) ? random.int(1, 5000) : random.int(1, 8);
    return replaceAt(bytes, random, 0, repeated(part, times));
  },
  function graft(bytes, random, seeds) {
    return replaceAt(bytes, random, random.int(0, bytes.length), partOf(random.pick(seeds), random));
  },
  function cutShort(bytes, random) {
    return bytes.subarray(0, random.int(0, bytes.length));
  },
];

/** A seed with one to five mutations; rarely noise, or an unchanged seed. At most MAX_INPUT_BYTES. */
export function mutateBytes(seeds: readonly Buffer[], random: Random): Buffer {
  if (random.chance(0.02)) return noise(random, random.int(0, 300));
  let bytes: Buffer = Buffer.from(random.pick(seeds));
  for (let left = random.int(0, 5); left > 0; left -= 1) bytes = random.pick(MUTATIONS)(bytes, random, seeds);
  return bytes.subarray(0, MAX_INPUT_BYTES);
}

function set(bytes: Buffer, random: Random, write: (at: number) => void): Buffer {
  if (bytes.length > 0) write(random.int(0, bytes.length - 1));
  return bytes;
}

function replaceAt(bytes: Buffer, random: Random, size: number, by: Buffer): Buffer {
  const at = random.int(0, bytes.length);
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + size)]);
}

function partOf(bytes: Buffer, random: Random): Buffer {
  const from = random.int(0, bytes.length);
  return bytes.subarray(from, from + random.int(1, 40));
}

function repeated(part: Buffer, times: number): Buffer {
  return Buffer.alloc(Math.min(MAX_INPUT_BYTES, part.length * times), part.length > 0 ? part : 0);
}

function noise(random: Random, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => random.int(0, 255)));
}
