/*
 * Loaded before a probe: kills it, as `kill -9` does, before or after the n-th time that it replaces its
 * identity file. DIE_AT says which: `before 1`, `after 2`.
 */
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const [moment, count] = process.env.DIE_AT.split(' ');
const rename = fs.rename;
let replaced = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

fs.rename = async (from, to) => {
  if (!String(to).endsWith('identity.json')) return rename(from, to);
  replaced += 1;
  if (moment === 'before' && replaced === Number(count)) return die();
  await rename(from, to);
  return moment === 'after' && replaced === Number(count) ? die() : undefined;
};
syncBuiltinESMExports();
