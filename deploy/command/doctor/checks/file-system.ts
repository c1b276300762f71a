import { readFileSync } from 'node:fs';
import { failed, warning, type Finding } from '../check.ts';

/** Types of file systems whose files are on another machine. */
const NETWORK = /^(?:nfs\d?|cifs|smb\w*|9p|ceph|afs|lustre|gluster\w*|beegfs\w*|gpfs|ocfs2|davfs|ncpfs|fuse\.(?:sshfs|s3fs|glusterfs|ceph\S*|rclone|davfs2?|gcsfuse|smbnetfs|curlftpfs|mfs\w*|juicefs|seaweedfs))$/;
/** Programs instead of a disk; some keep the promises that the store needs, some do not. */
const PROGRAM = /^(?:fuse(?:\.\S+)?|virtiofs|fakeowner|vboxsf|prl_fs|vmhgfs)$/;

/** Nothing if nothing is known against it. `hasStore`: the database is in this directory. */
export function judgeFileSystem(type: string | null, dir: string, hasStore: boolean): Finding[] {
  if (type === null) return [];
  const hint = hasStore
    ? 'Set DATA_DIR to a directory on a local disk, or MONGODB_URL to your own MongoDB: the database maps its files into memory and locks them, which works reliably only on a local disk.'
    : 'Set DATA_DIR to a directory on a local disk: locks work reliably only there.';
  if (NETWORK.test(type)) {
    const message = `${dir} is on a network file system (${type})`;
    return [hasStore ? failed(message, hint) : warning(message, hint)];
  }
  return PROGRAM.test(type) ? [warning(`${dir} is on a file system that a program provides (${type})`, hint)] : [];
}

/** The type of a path's file system, for example `ext4`; null if unknown. Accesses no file in it. */
export function fileSystemOf(path: string): string | null {
  try {
    return typeInMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'), path);
  } catch {
    return null;
  }
}

/**
 * proc_pid_mountinfo(5): the mount point is the fifth field, and the type follows a hyphen. Later mounts hide
 * earlier ones.
 */
export function typeInMountInfo(mountInfo: string, path: string): string | null {
  let found: { point: string; type: string } | null = null;
  for (const line of mountInfo.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ');
    const point = (mount.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`);
    if (point !== '' && isAbove && point.length >= (found?.point.length ?? 0)) found = { point, type: source.split(' ')[0] ?? '' };
  }
  return found?.type ?? null;
}
