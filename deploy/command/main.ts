import { Command, CommanderError } from 'commander';
import { ConfigError } from '../../shared/environment.ts';
import { mapStacks } from '../../shared/mapped-stacks.ts';
import { CommandError, EXIT, type CommandContext } from './command.ts';
import { Output } from './output.ts';
import { COMMANDS, DEFAULT_COMMAND } from './registry.ts';

interface Invocation extends Omit<CommandContext, 'output'> {
  argv: readonly string[];
}

const OVERVIEW_FLAGS = ['-h', '--help', '-V', '--version'];

/** Runs one command. Resolves to its exit code; null if it goes on until a signal and exits by itself. */
export async function main({ argv, ...streams }: Invocation): Promise<number | null> {
  mapStacks();
  const { stdout, stderr } = streams;
  // A closed pipe (`farwatch monitors | head -1`) must not end in a stack.
  stdout.on('error', () => {});
  const context: CommandContext = { ...streams, output: new Output(stdout) };
  const args = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
  try {
    return await runCommand(args, context);
  } catch (error) {
    if (error instanceof CommanderError) {
      // --help and --version end like this too.
      if (error.exitCode === 0) return EXIT.done;
      const reason = error.message.replace(/^error: |\.$/g, '').replaceAll('\n', ' ');
      const [name = ''] = args;
      return fail(stderr, `${reason}; see farwatch ${Object.hasOwn(COMMANDS, name) ? `${name} ` : ''}--help`, EXIT.refused);
    }
    if (error instanceof ConfigError) return fail(stderr, error.problems.join('; '), EXIT.refused);
    if (error instanceof CommandError) return fail(stderr, error.message, error.exitCode);
    throw error;
  }
}

function fail(stderr: NodeJS.WritableStream, message: string, exitCode: number): number {
  stderr.write(`farwatch: ${message}\n`);
  return exitCode;
}

async function runCommand(args: string[], context: CommandContext): Promise<number | null> {
  const [first] = args;
  const isNamed = first !== undefined && !first.startsWith('-');
  const name = isNamed ? first : DEFAULT_COMMAND;
  const registered = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (registered === undefined || (first !== undefined && OVERVIEW_FLAGS.includes(first))) {
    await overview(context).parseAsync(args, { from: 'user' });
    return EXIT.done;
  }
  const command = configured(new Command(`farwatch ${name}`), context);
  const { define } = await registered.load();
  const run = define(command, context) as (...values: unknown[]) => Promise<number | null>;
  let exitCode: number | null = EXIT.done;
  command.action(async (...values: unknown[]) => {
    // The last one is the command itself.
    exitCode = await run(...values.slice(0, -1));
  });
  await command.parseAsync(isNamed ? args.slice(1) : args, { from: 'user' });
  return exitCode;
}

/** Lists all commands, and refuses those that do not exist. */
function overview(context: CommandContext): Command {
  const program = configured(new Command('farwatch'), context)
    .description('Self-hosted uptime monitoring with probes in your own regions')
    .version(context.version)
    .usage('[command] [options]')
    .helpCommand(false);
  for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).description(summary);
  return program.addHelpText('after', '\nfarwatch COMMAND --help describes a command.');
}

function configured(command: Command, { stdout }: CommandContext): Command {
  return command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: () => undefined,
  });
}
