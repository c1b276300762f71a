import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Counts } from './documents.ts';
import { openEmbeddedDocuments } from './embedded-documents.ts';
import { embeddedDirOf, type InstallationData } from './installation-data.ts';
import { writeBackupFile } from './write-backup-file.ts';

export interface Backup {
  path: string;
  /** Unix ms: the backup has everything that the database had acknowledged by then. */
  at: number;
  bytes: number;
  counts: Counts;
}

/** Writes the data of an installation to a new file, whether Farwatch is running or not. @throws Refusal */
export async function backUp(data: InstallationData, file: string, version: string): Promise<Backup> {
  const path = resolve(file);
  const dir = embeddedDirOf(data, 'back it up as docs/operating.md says (Backup and restore)');
  const documents = await openEmbeddedDocuments(dir);
  try {
    const { at } = documents;
    const counts = await writeBackupFile(path, documents, { version, at });
    return { path, at, bytes: statSync(path).size, counts };
  } finally {
    await documents.close();
  }
}
