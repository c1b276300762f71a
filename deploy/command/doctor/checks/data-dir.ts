import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { combine, failed, warning, type Check, type Finding } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { isDoubled } from '../reach/controller-watch.ts';
import { fileSystemOf, judgeFileSystem } from './file-system.ts';

/** A directory that this user must be able to use. */
export interface Place {
  path: string;
  uid: number;
  mode: number;
  isDirectory: boolean;
  /** Why it cannot be written to: an error code; null if it can. */
  refusal: string | null;
}

export const checkDataDir: Check = async (context) => {
  const { dataDir, doesDataDirRespond, settings, running } = context;
  const type = fileSystemOf(dataDir);
  if (!doesDataDirRespond) return unresponsive(dataDir, type);
  const findings: Finding[] = judgeFileSystem(type, dataDir, settings?.hasMongo !== true);
  const root = await placeAt(dataDir);
  if (root === null) return combine([...findings, ...await judgeParent(dataDir)], `${dataDir} does not exist yet; the first start creates it`);
  const uid = process.geteuid?.() ?? root.uid;
  findings.push(...judgePlace(root, uid));
  if (root.isDirectory && root.refusal === null) {
    for (const name of await readdir(dataDir)) {
      const part = await placeAt(join(dataDir, name));
      if (part !== null && part.refusal !== null) findings.push(...judgePlace(part, uid));
    }
  }
  findings.push(...await doubledControllers(context));
  return combine(findings, running.has('quickstart') ? `${dataDir} is in use by a running Farwatch` : `${dataDir} can be used`);
};

export function unresponsive(dataDir: string, type: string | null): Finding {
  return failed(
    `The file system of ${dataDir}${type === null ? '' : ` (${type})`} does not respond`,
    'Every access to it hangs: see dmesg for errors of the disk, or whether the server of the network file system runs.',
  );
}

/** Nothing if the place can be used. */
export function judgePlace({ path, uid, mode, isDirectory, refusal }: Place, user: number): Finding[] {
  if (refusal === 'EROFS') {
    return [failed(`${path} is on a disk that is mounted read-only`, 'Mount the disk writable, or set DATA_DIR to a directory on another one. After a disk error, Linux mounts disks read-only: see dmesg.')];
  }
  if (refusal !== null) {
    return [failed(
      `${path} belongs to user ${uid} and cannot be used by user ${user} (${refusal})`,
      `Run Farwatch and this command as user ${uid}, or give the directory to user ${user}: chown -R ${user} ${path}`,
    )];
  }
  if (isDirectory && (mode & 0o002) !== 0) {
    return [warning(`Every user of this host can change ${path}`, `Take that right away: chmod o-w ${path}`)];
  }
  return [];
}

/** Where a data directory that does not exist will be created. */
async function judgeParent(dataDir: string): Promise<Finding[]> {
  for (let parent = dirname(dataDir); ; parent = dirname(parent)) {
    const place = await placeAt(parent);
    if (place === null) continue;
    return judgePlace({ ...place, mode: 0 }, process.geteuid?.() ?? place.uid);
  }
}

async function placeAt(path: string): Promise<Place | null> {
  try {
    const { uid, mode } = await stat(path);
    const isDirectory = (mode & constants.S_IFMT) === constants.S_IFDIR;
    const wanted = constants.R_OK | constants.W_OK | (isDirectory ? constants.X_OK : 0);
    const isSocket = (mode & constants.S_IFMT) === constants.S_IFSOCK;
    const refusal = isSocket ? null : await access(path, wanted).then(() => null, codeOf);
    return { path, uid, mode, isDirectory, refusal };
  } catch (error) {
    const refusal = codeOf(error as Error);
    return refusal === 'ENOENT' ? null : { path, uid: -1, mode: 0, isDirectory: true, refusal };
  }
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** DATA_DIR contains the id of its controller, so a copied one doubles it. */
async function doubledControllers({ controllers }: DoctorContext): Promise<Finding[]> {
  const doubled = (await controllers.live()).filter(isDoubled);
  return doubled.map(({ id }) => failed(
    `Two running controllers have the id ${id.slice(0, 8)}…, so they take each other's work`,
    'One of their data directories is a copy of the other. Stop one of the two controllers, delete the file controller-id in its DATA_DIR, and start it again.',
  ));
}
