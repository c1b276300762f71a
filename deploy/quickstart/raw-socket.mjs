import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runNpm } from './install.mjs';
import { withMachineLock } from './machine-lock.mjs';

const BUILD_TIMEOUT_MS = 180_000;
const FALLBACK = "ICMP checks use the system's ping";
const CAP_NET_RAW = 1n << 13n;
const NO_PERMISSION = 'raw sockets need root or CAP_NET_RAW';

/** npm's output on failure, and its meaning for users. */
const REASONS = [
  [/ failed \(SIGKILL\):/, 'the build timed out'],
  [/could not find any Python/i, 'Python not found (Debian, Ubuntu: apt-get install python3)'],
  [
    /not found: make|(?:make|cc|g\+\+|clang\+\+|c\+\+): (?:command )?(?:not found|No such file)|xcode/i,
    'no C++ compiler found (Debian, Ubuntu: apt-get install build-essential)',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|fetch failed|response downloading/,
    'the headers of Node.js could not be downloaded',
  ],
];

/**
 * Builds raw-socket (npm doesn't run its install script) if this process may open raw sockets and the addon
 * doesn't load yet. A failure is reported once and remembered for this version of Node.js, so that later
 * starts lose no time. Resolves to whether raw-socket works.
 */
export async function ensureRawSocket({ root, say, within = BUILD_TIMEOUT_MS }) {
  const home = join(root, 'node_modules/raw-socket');
  if (!existsSync(home)) return false;
  if (!mayOpenRawSockets()) {
    report(root, say, NO_PERMISSION);
    return false;
  }
  if (canLoad(root)) return true;
  if (![null, NO_PERMISSION].includes(recordedReason(root))) return false;
  return await withMachineLock('raw-socket', home, async () => {
    if (canLoad(root)) return true;
    say('Building raw-socket for ICMP checks (about 10 s)');
    try {
      // By name, so that no other package's scripts run.
      const args = ['rebuild', 'raw-socket', '--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error'];
      await runNpm(args, root, { timeout: within, killSignal: 'SIGKILL' });
      if (canLoad(root)) return true;
      report(root, say, 'raw-socket was built but could not be loaded');
    } catch (error) {
      const [, reason] = REASONS.find(([sign]) => sign.test(error.message)) ?? [];
      report(root, say, `raw-socket could not be built: ${reason ?? lastLine(error.message)}`);
    }
    return false;
  });
}

function canLoad(root) {
  try {
    createRequire(join(root, 'package.json'))('raw-socket');
    return true;
  } catch {
    return false;
  }
}

/** Linux lists the capability; on other systems, opening the socket shows it. */
function mayOpenRawSockets() {
  if (process.platform !== 'linux') return true;
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & CAP_NET_RAW) !== 0n;
}

function report(root, say, reason) {
  if (recordedReason(root) === reason) return;
  say(`${FALLBACK}: ${reason}`);
  try {
    mkdirSync(dirname(reasonFile(root)), { recursive: true });
    writeFileSync(reasonFile(root), reason);
  } catch {
    // A read-only checkout can't remember it and reports it again.
  }
}

/** The reason recorded by an earlier start; null if there is none. */
function recordedReason(root) {
  return existsSync(reasonFile(root)) ? readFileSync(reasonFile(root), 'utf8') : null;
}

function reasonFile(root) {
  return join(root, `node_modules/.cache/farwatch-no-raw-socket-${process.versions.modules}`);
}

function lastLine(text) {
  return text.trim().split('\n').at(-1).slice(0, 200);
}
