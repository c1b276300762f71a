import { crc32 } from 'node:zlib';

/** Frame kinds: a packed batch of one lane, or a mark of coverage and watermarks. */
export const FRAME_BATCH = 1;
export const FRAME_MARK = 2;

export const HEADER_BYTES = 48;
/** Larger than any batch or mark; a longer length means corruption. */
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
const MAGIC = 0x31505346;

/**
 * Little endian: magic u32, kind u8, shard u8, count u16, epoch 16 bytes, first u48, last u48, length u32,
 * CRC-32 of the payload, CRC-32 of the preceding header. Two checksums, so that a corrupt payload can still
 * be attributed.
 */
export interface FrameHeader {
  kind: number;
  shard: number;
  /** Results in the batch. */
  count: number;
  /** A UUID. */
  epoch: string;
  first: number;
  last: number;
  length: number;
  payloadCrc: number;
}

/** Header and payload of one frame, ready to be written. */
export function encodeFrame(
  frame: Omit<FrameHeader, 'length' | 'payloadCrc'>, payload: Uint8Array,
): [header: Buffer, payload: Uint8Array] {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header[4] = frame.kind;
  header[5] = frame.shard;
  header.writeUInt16LE(frame.count, 6);
  header.write(frame.epoch.replaceAll('-', ''), 8, 16, 'hex');
  header.writeUIntLE(frame.first, 24, 6);
  header.writeUIntLE(frame.last, 30, 6);
  header.writeUInt32LE(payload.length, 36);
  header.writeUInt32LE(crc32(payload), 40);
  header.writeUInt32LE(crc32(header.subarray(0, 44)), 44);
  return [header, payload];
}

/** The header at `at`; null if it is incomplete or corrupt. */
export function readHeader(bytes: Buffer, at: number): FrameHeader | null {
  if (at + HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return null;
  if (crc32(bytes.subarray(at, at + 44)) !== bytes.readUInt32LE(at + 44)) return null;
  const length = bytes.readUInt32LE(at + 36);
  if (length > MAX_PAYLOAD_BYTES) return null;
  return {
    kind: bytes[at + 4] as number,
    shard: bytes[at + 5] as number,
    count: bytes.readUInt16LE(at + 6),
    epoch: uuidAt(bytes, at + 8),
    first: bytes.readUIntLE(at + 24, 6),
    last: bytes.readUIntLE(at + 30, 6),
    length,
    payloadCrc: bytes.readUInt32LE(at + 40),
  };
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export interface FrameAt extends FrameHeader {
  /** Where the payload starts. */
  offset: number;
  /** False if the payload is corrupt or truncated. */
  isIntact: boolean;
}

/** Calls `visit` for every frame with a valid header, in order; skips what lies in between. */
export function scanFrames(bytes: Buffer, visit: (frame: FrameAt) => void): void {
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const header = readHeader(bytes, at);
    if (!header) {
      at = nextMagic(bytes, at + 1);
      continue;
    }
    const offset = at + HEADER_BYTES;
    const payload = bytes.subarray(offset, offset + header.length);
    const isIntact = payload.length === header.length && crc32(payload) === header.payloadCrc;
    visit({ ...header, offset, isIntact });
    // If part of the file is missing, other frames lie within this frame's length.
    at = isIntact ? offset + header.length : nextMagic(bytes, offset);
  }
}

const MAGIC_BYTES = Buffer.from([0x46, 0x53, 0x50, 0x31]);

function nextMagic(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(MAGIC_BYTES, from);
  return at < 0 ? bytes.length : at;
}
