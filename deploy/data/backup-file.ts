import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { z } from 'zod';
import { type Batch, countBatch, type Counts, type Documents, Refusal } from './documents.ts';

/*
 * A backup is MAGIC, then sections, then a SHA-256 of all bytes before it. A section is its length (32 bits,
 * big-endian) and as many bytes: first the header (JSON), then blocks, an empty section, and the end (JSON).
 * A block is a batch, compressed with Brotli: the length of the collection's name (16 bits), the name, and
 * documents in BSON.
 */

export const MAGIC = Buffer.from('farwatch-backup\n');
export const BACKUP_FORMAT = 1;
/** Above any section: a block has at most one document of 16 MiB, the most that a database stores. */
const MAX_SECTION_BYTES = 33_554_432;
const DIGEST_BYTES = 32;

export const backupHeader = z.object({
  format: z.number().int(),
  /** Version of Farwatch that made it. */
  version: z.string(),
  /** Unix ms: everything that the database had acknowledged by then is included. */
  at: z.number(),
  collections: z.array(z.object({
    name: z.string(),
    indexes: z.array(z.object({
      name: z.string(), key: z.record(z.string(), z.union([z.literal(1), z.literal(-1)])),
      unique: z.boolean().optional(), sparse: z.boolean().optional(),
    })),
  })),
});
export type BackupHeader = z.infer<typeof backupHeader>;

export const backupEnd = z.object({ counts: z.array(z.tuple([z.string(), z.number()])) });

const decompress = promisify(brotliDecompress);

/** A backup for reading. Every method throws Refusal if the file is unreadable, damaged or not a backup. */
export class BackupFile implements Documents {
  readonly path: string;
  readonly header: BackupHeader;

  private constructor(path: string, header: BackupHeader) {
    this.path = path;
    this.header = header;
  }

  /** Reads only the header. */
  static async open(path: string): Promise<BackupFile> {
    return withSections(path, async (sections) => new BackupFile(path, await sections.header()));
  }

  get collections(): Documents['collections'] {
    return this.header.collections as Documents['collections'];
  }

  /** Throws after the last batch if the file is not exactly what was written. */
  async *batches(): AsyncGenerator<Batch> {
    const handle = await openToRead(this.path);
    try {
      const sections = new Sections(this.path, handle);
      await sections.header();
      const counts: Counts = new Map();
      for (let bytes = await sections.next(); bytes.length > 0; bytes = await sections.next()) {
        const batch = await sections.parse(() => readBlock(bytes));
        countBatch(counts, batch);
        yield batch;
      }
      await sections.end(counts);
    } finally {
      await handle.close();
    }
  }

  /** Reads all of the file, and counts its documents. */
  async verify(): Promise<Counts> {
    const counts: Counts = new Map(this.collections.map(({ name }) => [name, 0]));
    for await (const batch of this.batches()) countBatch(counts, batch);
    return counts;
  }
}

/** The sections of a file, in order. */
class Sections {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async header(): Promise<BackupHeader> {
    const magic = await this.#read(MAGIC.length).catch(() => Buffer.alloc(0));
    if (!magic.equals(MAGIC)) throw new Refusal(`${this.#path} is not a backup of Farwatch`);
    const json = await this.next();
    return this.parse(() => {
      const parsed: unknown = JSON.parse(json.toString());
      const { format } = backupHeader.pick({ format: true }).parse(parsed);
      if (format > BACKUP_FORMAT) {
        throw new Refusal(`${this.#path} has format ${format}, which this version of Farwatch does not know`);
      }
      return backupHeader.parse(parsed);
    });
  }

  async next(): Promise<Buffer> {
    const length = (await this.#read(4)).readUInt32BE(0);
    if (length > MAX_SECTION_BYTES) throw this.#damaged();
    return this.#read(length);
  }

  /** Checks what follows the blocks, up to the last byte of the file. */
  async end(counts: Counts): Promise<void> {
    const json = await this.next();
    const stated = await this.parse(() => backupEnd.parse(JSON.parse(json.toString())).counts);
    const digest = this.#hash.copy().digest();
    const isWhole = (await this.#read(DIGEST_BYTES)).equals(digest) && (await this.#isAtEnd());
    const isSame = stated.every(([name, count]) => (counts.get(name) ?? 0) === count);
    if (!isWhole || !isSame) throw this.#damaged();
  }

  /** Whatever parsing throws, except a Refusal, means that the file is damaged. */
  async parse<T>(parse: () => T | Promise<T>): Promise<T> {
    try {
      return await parse();
    } catch (error) {
      throw error instanceof Refusal ? error : this.#damaged();
    }
  }

  async #read(length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled);
      if (bytesRead === 0) throw new Refusal(`${this.#path} is incomplete: its end is missing`);
      filled += bytesRead;
    }
    this.#hash.update(buffer);
    return buffer;
  }

  async #isAtEnd(): Promise<boolean> {
    return (await this.#handle.read(Buffer.allocUnsafe(1), 0, 1)).bytesRead === 0;
  }

  #damaged(): Refusal {
    return new Refusal(`${this.#path} is damaged: it is not what was written`);
  }
}

async function withSections<T>(path: string, use: (sections: Sections) => Promise<T>): Promise<T> {
  const handle = await openToRead(path);
  try {
    return await use(new Sections(path, handle));
  } finally {
    await handle.close();
  }
}

async function openToRead(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new Refusal(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function readBlock(compressed: Buffer): Promise<Batch> {
  const bytes = await decompress(compressed, { maxOutputLength: MAX_SECTION_BYTES });
  const first = 2 + bytes.readUInt16BE(0);
  const documents: Buffer[] = [];
  for (let at = first; at < bytes.length;) {
    const end = at + bytes.readInt32LE(at);
    if (end < at + 5 || end > bytes.length) throw new RangeError('no document');
    documents.push(bytes.subarray(at, end));
    at = end;
  }
  return { collection: bytes.toString('utf8', 2, first), documents };
}
