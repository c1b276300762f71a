import { totalmem } from 'node:os';
import { join } from 'node:path';
import { DirectoryUnusable } from '../../shared/directory-lock.ts';
import { ConfigError, type Environment } from '../../shared/environment.ts';
import { mapStacks } from '../../shared/mapped-stacks.ts';
import { systemClock } from '../../shared/time.ts';
import { claimDataDir } from './data-dir.ts';
import { Installation } from './installation.ts';
import { LogFile } from './output/log-file.ts';
import { supportedFlags } from './processes/node-flags.ts';
import { freePort, requirePort } from './servers/ports.ts';
import {
  CONTROLLER_FLAGS, PROBE_FLAGS, SCARCE_MEMORY_BYTES, SCARCE_MEMORY_FLAGS, STORE_FLAGS, type ProcessFlags,
} from './processes/process-spec.ts';
import { Screen } from './output/screen.ts';
import { readSettings, type QuickstartSettings } from './settings.ts';
import { StartError } from './start-error.ts';
import { printReady } from './output/ready-message.ts';

interface Options {
  env: Environment;
  /** Directory with one bundle per process. */
  bundles: string;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/**
 * Runs an installation until stopped. Resolves to the exit code: 0 stopped, 1 cannot start, 2 invalid
 * settings, or unusable data directory or database.
 */
export async function main({ env, bundles, stdout, stderr }: Options): Promise<number> {
  mapStacks();
  // A closed pipe must not end the installation.
  stdout.on('error', () => {});
  const stop = stopRequest();
  try {
    const settings = readSettings(env);
    return await run(settings, { env, bundles, screen: new Screen(stdout, systemClock), stop });
  } catch (error) {
    const isForOperator = error instanceof ConfigError || error instanceof DirectoryUnusable;
    if (!isForOperator && !(error instanceof StartError)) throw error;
    stderr.write(`${error.message}\n`);
    return isForOperator ? 2 : error.exitCode;
  }
}

/**
 * Resolves to the first stop signal. Later ones change nothing: npm forwards the terminal's Ctrl-C although
 * we already received it, and every wait while stopping is bounded.
 */
function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}

interface RunOptions extends Pick<Options, 'env' | 'bundles'> {
  screen: Screen;
  stop: Promise<string>;
}

async function run(
  settings: QuickstartSettings, { env, bundles, screen, stop }: RunOptions,
): Promise<number> {
  const clock = systemClock;
  const startedMs = clock.monotonic();
  const { host, port } = settings.controller.http;
  const dataDir = await claimDataDir(settings.controller.dataDir, clock);
  const logFile = screen.isTerminal ? new LogFile(join(dataDir.path, 'logs', 'farwatch.log')) : null;
  if (logFile) screen.logTo(logFile);
  if (dataDir.reclaimed.length > 0) {
    screen.say('warn', `Stopped processes left over from an earlier start: ${dataDir.reclaimed.join(', ')}`);
  }
  const http = { host, port: port === 0 ? await freePort() : port };
  let installation: Installation | null = null;
  try {
    await requirePort(http.host, http.port, { host: 'HOST', port: 'PORT' });
    const { listen } = settings.controller.http.metrics;
    const variables = { host: 'METRICS_LISTEN', port: 'METRICS_LISTEN' };
    if (listen !== null) await requirePort(listen.host, listen.port, variables);
    const flags = await flagsOf(process.execPath);
    installation = new Installation({ settings, dataDir, bundles, flags, env, http, screen, clock });
    const isFirst = installation.isFirstStart;
    const outcome = await Promise.race([installation.start().then(() => 'ready'), stop]);
    if (outcome === 'ready') {
      const { registration } = settings.controller.accounts;
      printReady(screen, {
        url: installation.url, dataDir: dataDir.path, isFirst, tookMs: clock.monotonic() - startedMs,
        registration,
      });
      await stop;
    }
    screen.say('info', 'Stopping');
    return 0;
  } finally {
    await installation?.stop();
    await dataDir.release();
    screen.say('info', 'Stopped');
    logFile?.close();
  }
}

async function flagsOf(program: string): Promise<ProcessFlags> {
  const all = { controller: CONTROLLER_FLAGS, probe: PROBE_FLAGS, store: STORE_FLAGS };
  const scarce = availableBytes() < SCARCE_MEMORY_BYTES ? SCARCE_MEMORY_FLAGS : [];
  const supported = new Set(await supportedFlags(program, [...Object.values(all).flat(), ...scarce]));
  const of = (role: keyof typeof all) => [...all[role], ...scarce].filter((flag) => supported.has(flag));
  return { controller: of('controller'), probe: of('probe'), store: of('store') };
}

/** Memory of the machine or the container, whichever is less. */
function availableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
