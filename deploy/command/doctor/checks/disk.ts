import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { combine, failed, warning, type Check, type Finding } from '../check.ts';

const MEGABYTE = 1_048_576;
const GIGABYTE = 1024 * MEGABYTE;
/** The embedded store needs room for the copies that a write makes. */
const MIN_FREE_BYTES = 64 * MEGABYTE;
const LOW_BYTES = GIGABYTE;
/** On a large disk, this share may be long in coming. */
const LOW_SHARE = 0.05;
const LOW_SHARE_BELOW_BYTES = 20 * GIGABYTE;
const MIN_FREE_FILES = 100;
const LOW_FILES = 1000;

export interface DiskSpace {
  freeBytes: number;
  bytes: number;
  freeFiles: number;
  /** 0 on file systems without a limit. */
  files: number;
}

export const checkDisk: Check = async ({ dataDir, doesDataDirRespond }) => doesDataDirRespond
  ? judgeDisk(await spaceAt(dataDir), dataDir)
  : failed('Not checked, because the disk does not respond', 'See the check data_dir.');

export function judgeDisk({ freeBytes, bytes, freeFiles, files }: DiskSpace, dataDir: string): Finding {
  const findings: Finding[] = [];
  const hint = `Free space on the disk of ${dataDir} or make it larger. Without space, results wait in the probes and are lost once their spools are full.`;
  const isLow = freeBytes < LOW_BYTES || (freeBytes < bytes * LOW_SHARE && freeBytes < LOW_SHARE_BELOW_BYTES);
  if (freeBytes < MIN_FREE_BYTES) findings.push(failed(`The disk is full: ${textOf(freeBytes)} of ${textOf(bytes)} are free`, hint));
  else if (isLow) findings.push(warning(`The disk is almost full: ${textOf(freeBytes)} of ${textOf(bytes)} are free`, hint));
  const filesHint = `Delete files that are not needed on the disk of ${dataDir}: it can hold only a limited number.`;
  if (files > 0 && freeFiles < MIN_FREE_FILES) findings.push(failed(`The disk can hold only ${freeFiles} more files`, filesHint));
  else if (files > 0 && freeFiles < LOW_FILES) findings.push(warning(`The disk can hold only ${freeFiles} more files`, filesHint));
  return combine(findings, `${textOf(freeBytes)} of ${textOf(bytes)} are free`);
}

/** Of the directory, or of where it will be created. */
async function spaceAt(dir: string): Promise<DiskSpace> {
  try {
    const { bavail, blocks, bsize, ffree, files } = await statfs(dir);
    return { freeBytes: bavail * bsize, bytes: blocks * bsize, freeFiles: ffree, files };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(dir) === dir) throw error;
    return spaceAt(dirname(dir));
  }
}

function textOf(bytes: number): string {
  return bytes < GIGABYTE ? `${Math.floor(bytes / MEGABYTE)} MB` : `${(bytes / GIGABYTE).toFixed(1)} GB`;
}
