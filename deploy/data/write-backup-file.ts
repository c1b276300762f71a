import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { syncDirectoryOf } from '../../shared/write-file-safely.ts';
import { BACKUP_FORMAT, BackupFile, MAGIC, type BackupHeader } from './backup-file.ts';
import { type Batch, countBatch, type Counts, type Documents, Refusal } from './documents.ts';

const compress = promisify(brotliCompress);
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 20 } };
const PARTIAL = /^\.farwatch-backup-(\d+)\.partial$/;
/** Of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Writes a backup that only its owner can read, and reads it again before it gets its name, so that a file of
 * that name is complete. Throws Refusal if there is one, or if it cannot be created.
 */
export async function writeBackupFile(
  path: string, documents: Documents, facts: Pick<BackupHeader, 'version' | 'at'>,
): Promise<Counts> {
  if (existsSync(path)) throw alreadyThere(path);
  removeAbandoned(dirname(path));
  const partial = join(dirname(path), `.farwatch-backup-${process.pid}.partial`);
  const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${path} cannot be written (${error.code})`);
  });
  try {
    const counts = await write(file, documents, facts);
    const read = await (await BackupFile.open(partial)).verify();
    if ([...counts].some(([name, count]) => read.get(name) !== count)) throw new Error(`${path} was not written correctly`);
    await nameFile(partial, path);
    return read;
  } finally {
    await file.close();
    await rm(partial, { force: true });
  }
}

async function write(
  file: FileHandle, documents: Documents, facts: Pick<BackupHeader, 'version' | 'at'>,
): Promise<Counts> {
  const out = new Output(file);
  const counts: Counts = new Map();
  await out.write(MAGIC);
  await out.section(JSON.stringify({ format: BACKUP_FORMAT, ...facts, collections: documents.collections }));
  for await (const batch of documents.batches()) {
    countBatch(counts, batch);
    await out.section(await compress(blockOf(batch), COMPRESSION));
  }
  await out.section('');
  await out.section(JSON.stringify({ counts: [...counts] }));
  await file.writeFile(out.hash.digest());
  await file.sync();
  return counts;
}

/** Appends to a file, and hashes what it appends. */
class Output {
  readonly hash: Hash = createHash('sha256');
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async section(content: string | Buffer): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    await this.write(length);
    await this.write(bytes);
  }

  async write(bytes: Buffer): Promise<void> {
    this.hash.update(bytes);
    await this.#file.writeFile(bytes);
  }
}

function blockOf({ collection, documents }: Batch): Buffer {
  const name = Buffer.from(collection);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(name.length);
  return Buffer.concat([length, name, ...documents]);
}

/** Never replaces a file, even one that was created meanwhile. */
async function nameFile(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || existsSync(path)) throw alreadyThere(path);
    if (!NO_LINKS.has(code)) throw error;
    await rename(partial, path);
  }
  await syncDirectoryOf(path);
}

function alreadyThere(path: string): Refusal {
  return new Refusal(`${path} exists already; a backup never replaces a file`);
}

/** Removes what killed backups left behind. */
function removeAbandoned(dir: string): void {
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const [, pid] = PARTIAL.exec(name) ?? [];
    // In a container, each backup may have the same process id.
    const isAbandoned = pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)));
    if (isAbandoned) rmSync(join(dir, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
