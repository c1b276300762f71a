import '../../../shared/keep-tick-shape.ts';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mapStacks } from '../../../shared/mapped-stacks.ts';
import { startEmbeddedMongo, type EmbeddedMongo } from './server.ts';

const USAGE = 'usage: --dir DIRECTORY [--socket PATH.sock]';
/** Maximum length of a socket path: Linux allows 107 bytes, other systems 103. */
const MAX_SOCKET_PATH_BYTES = 100;

interface Settings {
  readonly dir: string;
  readonly socketPath: string;
}

function readSettings(): Settings {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { dir: text, socket: text } });
  if (values.dir === undefined) throw new Error(USAGE);
  const dir = resolve(values.dir);
  const socketPath = values.socket === undefined ? join(dir, 'mongo.sock') : resolve(values.socket);
  if (!socketPath.endsWith('.sock')) throw new Error('--socket must end in .sock');
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`the path of the socket must have at most ${MAX_SOCKET_PATH_BYTES} bytes: ${socketPath}`);
  }
  return { dir, socketPath };
}

function print(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function run(): Promise<void> {
  const settings = readSettings();
  let server: EmbeddedMongo | null = null;
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    void Promise.resolve(server?.stop()).then(() => process.exit(0), () => process.exit(1));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A closed pipe must not end the store; it ends with its parent.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  // The channel closes when the process that started the store ends for any reason.
  process.on('disconnect', stop);
  server = await startEmbeddedMongo({
    ...settings,
    onError: (msg, error) => print({ level: 'error', msg, error: textOf(error) }),
    onRefusal: (reason) => print({ level: 'warn', msg: 'a command was refused', reason }),
    onFatal: () => process.exit(1),
  });
  print({ msg: 'listening', url: server.url });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

mapStacks();
run().catch((error: unknown) => {
  print({ level: 'error', msg: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});
