import '../shared/keep-tick-shape.ts';
import { readFileSync } from 'node:fs';
import { DirectoryUnusable } from '../shared/directory-lock.ts';
import { ConfigError } from '../shared/environment.ts';
import { createLog } from '../shared/log.ts';
import { mapStacks } from '../shared/mapped-stacks.ts';
import { systemClock } from '../shared/time.ts';
import { VERSION } from '../shared/version.ts';
import { loadProbeConfig, type ProbeConfig } from './config.ts';
import { EnrolmentRefused } from './identity/enrolment.ts';
import { startProbe } from './probe.ts';
import { NotEnrolled } from './wiring/link.ts';

/** Exit code for problems the operator must fix: settings, token, a second probe on one directory. */
const EXIT_OPERATOR = 2;
/** A hanging stop is forced after this time. */
const STOP_WITHIN_MS = 9000;

mapStacks();
await main();

async function main(): Promise<void> {
  try {
    await run(loadProbeConfig(process.env, process.argv.slice(2)));
  } catch (error) {
    const isForOperator =
      [ConfigError, EnrolmentRefused, NotEnrolled, DirectoryUnusable].some((kind) => error instanceof kind);
    if (!isForOperator) {
      // A full disk may have space by the time of a restart.
      if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
      process.stderr.write(`Farwatch probe: ${(error as Error).message}\n`);
      process.exit(1);
    }
    const prefix = error instanceof EnrolmentRefused
      ? 'Farwatch probe: enrolment refused: '
      : error instanceof ConfigError ? '' : 'Farwatch probe: ';
    process.stderr.write(`${prefix}${(error as Error).message}\n`);
    process.exit(EXIT_OPERATOR);
  }
}

async function run(config: ProbeConfig): Promise<void> {
  const log = createLog('probe', config.logLevel);
  const stopRequested = untilStopRequested();
  // For the parent process: a log line would be missing at some log levels.
  const onConnected = (): void => void process.send?.({ msg: 'connected' });
  void stopRequested.then(() => systemClock.setTimer(STOP_WITHIN_MS, () => process.exit(1)));
  const stopping = stopRequested.then(() => null);
  for (let isStopping = false; !isStopping; ) {
    let onReplaced = (): void => undefined;
    const replaced = new Promise<void>((resolve) => (onReplaced = resolve));
    const started = startProbe({
      settings: config, clock: systemClock, log, version: VERSION, random: Math.random,
      maxFiles: openFileLimit(), onConnected, onReplaced,
    });
    const probe = await Promise.race([started, stopping]);
    isStopping = (await Promise.race([stopping, replaced])) === null;
    await probe?.stop();
  }
  process.exit(0);
}

/** Resolves on a signal, or when the parent process that opened the IPC channel exits. */
function untilStopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
    process.on('disconnect', () => resolve());
  });
}

/** Soft limit of open files (raised by Node to the hard one); a conservative number without /proc. */
function openFileLimit(): number {
  try {
    const line = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line?.[1] === 'unlimited' ? 1_000_000 : Number(line?.[1] ?? 1024);
  } catch {
    return 1024;
  }
}
