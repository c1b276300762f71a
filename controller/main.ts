import '../shared/keep-tick-shape.ts';
import { fileURLToPath } from 'node:url';
import { DirectoryUnusable, lockDirectory } from '../shared/directory-lock.ts';
import { ConfigError } from '../shared/environment.ts';
import { createLog } from '../shared/log.ts';
import { mapStacks } from '../shared/mapped-stacks.ts';
import { systemClock } from '../shared/time.ts';
import { loadControllerConfig, type ControllerConfig } from './config.ts';
import { startController } from './controller.ts';
import { exposureWarnings } from './exposure.ts';
import { NewerData, OtherShards } from './platform/mongo/installation.ts';
import { isDatabaseUnavailable } from './platform/mongo/mongo-errors.ts';
import { UnusableDatabase } from './platform/mongo/usable-database.ts';
import { WrongSecretsKey } from './secrets/data-key.ts';

/** What the operator has to put right, and the exit code for it. */
const FOR_OPERATOR = [
  ConfigError, DirectoryUnusable, NewerData, OtherShards, UnusableDatabase, WrongSecretsKey,
];
const EXIT_OPERATOR = 2;
const NO_SECRETS_KEY = 'SECRETS_KEY is not set: the key of secret variables is in the database with them, so a copy of '
  + 'the database reveals them. Set it, for example, to the output of `openssl rand -base64 32`.';
/** A stop that hangs is ended by force, ms. */
const STOP_TIMEOUT_MS = 9500;

mapStacks();
await main();

async function main(): Promise<void> {
  try {
    await run(loadControllerConfig(process.env));
  } catch (error) {
    const isForOperator = FOR_OPERATOR.some((kind) => error instanceof kind);
    if (isForOperator) return fail((error as Error).message, EXIT_OPERATOR);
    // Gone while we were starting: who supervises us starts us again, and then we wait for it.
    if (isDatabaseUnavailable(error)) return fail('The connection to the database was lost while Farwatch was starting', 1);
    throw error;
  }
}

function fail(message: string, exitCode: number): never {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}

async function run(config: ControllerConfig): Promise<void> {
  // Its id must be that of one controller.
  await lockDirectory(config.dataDir);
  const log = createLog('controller', config.logLevel);
  for (const warning of exposureWarnings(config)) log.warn(warning);
  const stopRequest = waitForStopRequest();
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // The build puts the console and the converters beside this file.
  const consoleDir = fileURLToPath(new URL('console', import.meta.url));
  const converterBundle = fileURLToPath(new URL('convert.mjs', import.meta.url));
  const built = { consoleDir, converterBundle };
  const ports = { config, clock: systemClock, log, timeZone, random: Math.random, ...built };
  const started = startController(ports);
  const controller = await Promise.race([started, stopRequest.then(() => null)]);
  if (controller) log.info({ url: controller.url }, 'listening');
  if (controller && config.secretsKeys.length === 0) log.warn(NO_SECRETS_KEY);
  await stopRequest;
  systemClock.setTimer(STOP_TIMEOUT_MS, () => process.exit(1));
  await controller?.stop();
  process.exit(0);
}

/** Resolves when a signal says so, or when the process that started this one with a channel is gone. */
function waitForStopRequest(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve());
    process.on('disconnect', () => resolve());
  });
}
