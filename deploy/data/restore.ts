import { renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../shared/time.ts';
import { syncDirectoryOf, writeFileSafely } from '../../shared/write-file-safely.ts';
import { startEmbeddedMongo } from '../embedded/mongo/server.ts';
import { claimDataDir } from '../quickstart/data-dir.ts';
import { DATA_FOLDERS, RESTORED_NOTE } from '../quickstart/servers/database.ts';
import { socketFolder } from '../quickstart/servers/socket-folder.ts';
import { BackupFile, type BackupHeader } from './backup-file.ts';
import { copyDocuments } from './copy-documents.ts';
import { type Counts, Refusal } from './documents.ts';
import { requireUnused, type InstallationData } from './installation-data.ts';
import { isNewer } from './newer-version.ts';

const SOCKET = 'restore.sock';

export interface Restored extends Pick<BackupHeader, 'at'> {
  counts: Counts;
}

/**
 * Fills an empty data directory, or the empty database that MONGODB_URL names. Throws Refusal, with nothing
 * changed, if it is not empty or the file is not a whole backup that this version can read.
 */
export async function restore(
  { dataDir, mongoUrl }: InstallationData, file: string, version: string,
): Promise<Restored> {
  if (mongoUrl === null) requireUnused(dataDir);
  const backup = await BackupFile.open(resolve(file));
  const { at, version: made } = backup.header;
  if (isNewer(made, version)) {
    throw new Refusal(`${backup.path} was made by Farwatch ${made}, which is newer than this one, ${version}`);
  }
  await backup.verify();
  const copied = mongoUrl === null ? restoreEmbedded(backup, dataDir) : copyDocuments(backup, mongoUrl);
  return { at, counts: await copied };
}

/** The store gets the name under which Farwatch starts it when it is complete. */
async function restoreEmbedded(backup: BackupFile, dataDir: string): Promise<Counts> {
  const claimed = await claimDataDir(dataDir, systemClock);
  try {
    requireUnused(claimed.path);
    const draft = join(claimed.path, DATA_FOLDERS.restoring);
    rmSync(draft, { recursive: true, force: true });
    const socketPath = join(socketFolder(claimed.path, SOCKET), SOCKET);
    const counts = await fillStore(draft, socketPath, backup);
    const note = { at: new Date(backup.header.at).toISOString(), version: backup.header.version };
    await writeFileSafely(join(claimed.path, RESTORED_NOTE), `${JSON.stringify(note)}\n`);
    const finished = join(claimed.path, DATA_FOLDERS.embedded);
    renameSync(draft, finished);
    await syncDirectoryOf(finished);
    return counts;
  } finally {
    await claimed.release();
  }
}

async function fillStore(dir: string, socketPath: string, backup: BackupFile): Promise<Counts> {
  const store = await startEmbeddedMongo({ dir, socketPath });
  try {
    return await copyDocuments(backup, store.url);
  } finally {
    await store.stop();
  }
}
