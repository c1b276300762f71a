import { join } from 'node:path';
import { systemClock } from '../../shared/time.ts';
import { writeFileSafely } from '../../shared/write-file-safely.ts';
import { claimDataDir } from '../quickstart/data-dir.ts';
import { MOVED_NOTE } from '../quickstart/servers/database.ts';
import { copyDocuments } from './copy-documents.ts';
import type { Counts } from './documents.ts';
import { openEmbeddedDocuments } from './embedded-documents.ts';
import { embeddedDirOf, type InstallationData } from './installation-data.ts';

/**
 * Copies the embedded store of a stopped installation to the empty database of this URL. Throws Refusal or
 * DirectoryUnusable, with nothing changed, if the database is not empty or Farwatch is running. Farwatch does
 * not start on the copied store again, which would only look like the installation.
 */
export async function move(data: InstallationData, url: string): Promise<Counts> {
  const dir = embeddedDirOf(data, 'only the embedded store can be moved');
  const claimed = await claimDataDir(data.dataDir, systemClock);
  try {
    const counts = await copyAll(dir, url);
    const note = { at: new Date().toISOString() };
    await writeFileSafely(join(claimed.path, MOVED_NOTE), `${JSON.stringify(note)}\n`);
    return counts;
  } finally {
    await claimed.release();
  }
}

async function copyAll(dir: string, url: string): Promise<Counts> {
  const documents = await openEmbeddedDocuments(dir);
  try {
    return await copyDocuments(documents, url);
  } finally {
    await documents.close();
  }
}
