import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file durably: after a crash it has the old or the new content. Only its owner can read it. */
export async function writeFileSafely(path: string, content: string): Promise<void> {
  // Concurrent writers of the same file, in one process or several, must not share a temporary file.
  const temporary = `${path}.${randomUUID()}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectoryOf(path);
}

/** Makes a file's new name as durable as its content. */
export async function syncDirectoryOf(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
