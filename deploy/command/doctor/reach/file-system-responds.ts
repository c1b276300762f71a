import { spawn } from 'node:child_process';
import type { Clock } from '../../../../shared/time.ts';

const TIMEOUT_MS = 5000;
const READ = "const fs = require('fs'); try { fs.statfsSync(process.argv[1]); fs.readdirSync(process.argv[1]); } catch {}";

/**
 * False if every access hangs, as it does when the server of a network file system is gone. A separate
 * process tries it, because a process with a hanging thread cannot exit.
 */
export function fileSystemResponds(path: string, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', READ, path], { stdio: 'ignore', env: {} });
    const timer = clock.setTimer(TIMEOUT_MS, () => {
      child.kill('SIGKILL');
      child.unref();
      resolve(false);
    });
    const done = () => {
      timer.cancel();
      resolve(true);
    };
    child.once('exit', done).once('error', done);
  });
}
