import { systemClock } from '../../shared/time.ts';
import { claimDataDir } from '../quickstart/data-dir.ts';
import { copyDocuments } from './copy-documents.ts';
import type { Counts } from './documents.ts';
import { openEmbeddedDocuments } from './embedded-documents.ts';
import { embeddedDirOf, type InstallationData } from './installation-data.ts';

/**
 * Copies the embedded store of a stopped installation to the empty database of this URL. Throws Refusal or
 * StartError, with nothing changed, if the database is not empty or Farwatch is running.
 */
export async function move(data: InstallationData, url: string): Promise<Counts> {
  const dir = embeddedDirOf(data, 'only the embedded store can be moved');
  const claimed = await claimDataDir(data.dataDir, systemClock);
  try {
    const documents = await openEmbeddedDocuments(dir);
    try {
      return await copyDocuments(documents, url);
    } finally {
      await documents.close();
    }
  } finally {
    await claimed.release();
  }
}
