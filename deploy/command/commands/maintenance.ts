import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { sleep, systemClock } from '../../../shared/time.ts';
import { CLIENT_HELP, clientOf, Unavailable } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';
import { readMonitors } from '../monitors.ts';

const MINUTE_MS = 60_000;
const MAX_TITLE_LENGTH = 200;
const MAX_MINUTES = 90 * 24 * 60;
/** A terminal sends the first two to the command, too. */
const SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const;
/** A deployment may have restarted the installation itself. */
const END_TIMEOUT_MS = 60_000;
const RETRY_MS = 1000;

interface Window {
  id: string;
  starts_at: string;
  ends_at: string;
}

interface Options {
  monitor?: string[];
  tag?: string;
}

export const define: DefineCommand = (command, { env, output, stderr }) => {
  command.description(
    'Opens a maintenance window now, in which alerts are held. With a command, runs it, ends the window when it ends, '
      + 'and exits with its exit code.',
  )
    .argument('<minutes>', 'how long the window lasts at most')
    .argument('[command...]', 'a command, after --')
    .option('--monitor <id...>', 'ids of monitors')
    .option('--tag <tag>', 'all monitors with this tag')
    .addHelpText('after', CLIENT_HELP);
  return async (minutes: string, run: string[], { monitor, tag }: Options) => {
    if (!/^\d{1,6}$/.test(minutes) || Number(minutes) < 1 || Number(minutes) > MAX_MINUTES) {
      throw new CommandError(`MINUTES must be a whole number from 1 to ${MAX_MINUTES}`, EXIT.refused);
    }
    if ((monitor === undefined) === (tag === undefined)) {
      throw new CommandError('give either --monitor or --tag', EXIT.refused);
    }
    const client = clientOf(env);
    const monitor_ids = monitor ?? (await readMonitors(client, tag)).map(({ id }) => id);
    if (monitor_ids.length === 0) throw new CommandError(`no monitor has the tag ${tag}`);
    const { projects } = await client.call<{ projects: { id: string; is_default: boolean }[] }>('/api/projects');
    const project = projects.find(({ is_default }) => is_default) ?? projects[0];
    const path = `/api/projects/${project?.id}/maintenance-windows`;
    const now = client.now();
    const signals = run.length > 0 ? new Signals() : null;
    const { maintenance_window: window } = await client.call<{ maintenance_window: Window }>(path, {
      method: 'POST',
      body: {
        title: ['Maintenance', ...run.slice(0, 1)].join(': ').slice(0, MAX_TITLE_LENGTH), monitor_ids,
        starts_at: new Date(now).toISOString(),
        ends_at: new Date(now + Number(minutes) * MINUTE_MS).toISOString(),
      },
    });
    const count = `${monitor_ids.length} ${monitor_ids.length === 1 ? 'monitor' : 'monitors'}`;
    stderr.write(`Maintenance of ${count} until ${window.ends_at}\n`);
    if (signals === null) {
      output.line(window.id);
      return EXIT.done;
    }
    const exitCode = await signals.run(run as [string, ...string[]], stderr);
    await end(Date.now() + END_TIMEOUT_MS).catch((error: Error) => {
      stderr.write(`farwatch: the window stays open until ${window.ends_at}: ${error.message}\n`);
    });
    return exitCode;

    async function end(deadline: number): Promise<void> {
      const ends_at = new Date(Math.max(client.now(), Date.parse(window.starts_at) + 1));
      // One that is over already stays as it was.
      if (ends_at.getTime() >= Date.parse(window.ends_at)) return;
      try {
        await client.call(`${path}/${window.id}`, { method: 'PATCH', body: { ends_at: ends_at.toISOString() } });
      } catch (error) {
        if (!(error instanceof Unavailable) || Date.now() > deadline) throw error;
        await sleep(systemClock, RETRY_MS);
        await end(deadline);
      }
    }
  };
};

/** From its construction on, no signal ends this process, because the window must end in any case. */
class Signals {
  #child: ChildProcess | null = null;
  #received: NodeJS.Signals | null = null;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => this.#receive(signal));
  }

  /**
   * Runs a command with our terminal, unless a signal has come before. Resolves to its exit code, as a shell
   * would report it.
   */
  run([program, ...args]: [string, ...string[]], stderr: NodeJS.WritableStream): Promise<number> {
    if (this.#received !== null) return Promise.resolve(128 + constants.signals[this.#received]);
    const child = spawn(program, args, { stdio: 'inherit' });
    this.#child = child;
    return new Promise<number>((resolve) => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        stderr.write(`farwatch: ${program} could not be run: ${error.message}\n`);
        resolve(error.code === 'ENOENT' ? 127 : 126);
      });
      child.on('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  }

  #receive(signal: NodeJS.Signals): void {
    this.#received ??= signal;
    const isSentByTerminal = SIGNALS.indexOf(signal as typeof SIGNALS[number]) < 2 && process.stdin.isTTY;
    if (!isSentByTerminal) this.#child?.kill(signal);
  }
}
