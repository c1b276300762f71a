import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CLIENT_HELP, clientOf } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';
import { readMonitors } from '../monitors.ts';

const MINUTE_MS = 60_000;
const MAX_MINUTES = 90 * 24 * 60;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
    if (monitor_ids.length === 0) throw new CommandError(`no monitor has the tag ${tag}`, EXIT.refused);
    const { projects } = await client.call<{ projects: { id: string; is_default: boolean }[] }>('/api/projects');
    const project = projects.find(({ is_default }) => is_default) ?? projects[0];
    const path = `/api/projects/${project?.id}/maintenance-windows`;
    const now = Date.now();
    const { maintenance_window: window } = await client.call<{ maintenance_window: Window }>(path, {
      method: 'POST',
      body: {
        title: run.length > 0 ? `Maintenance: ${run[0]}` : 'Maintenance', monitor_ids,
        starts_at: new Date(now).toISOString(),
        ends_at: new Date(now + Number(minutes) * MINUTE_MS).toISOString(),
      },
    });
    const count = `${monitor_ids.length} ${monitor_ids.length === 1 ? 'monitor' : 'monitors'}`;
    stderr.write(`Maintenance of ${count} until ${window.ends_at}\n`);
    if (run.length === 0) {
      output.line(window.id);
      return EXIT.done;
    }
    const exitCode = await runToEnd(run as [string, ...string[]], stderr);
    await end().catch((error: Error) => {
      stderr.write(`farwatch: the window stays open until ${window.ends_at}: ${error.message}\n`);
    });
    return exitCode;

    async function end(): Promise<void> {
      // One that is over already stays as it was.
      const ends_at = new Date(Math.max(Date.now(), Date.parse(window.starts_at) + 1));
      if (ends_at.getTime() < Date.parse(window.ends_at)) {
        await client.call(`${path}/${window.id}`, { method: 'PATCH', body: { ends_at: ends_at.toISOString() } });
      }
    }
  };
};

/** Runs a command with our terminal; resolves to its exit code as a shell would report it. */
function runToEnd([program, ...args]: [string, ...string[]], stderr: NodeJS.WritableStream): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' });
  for (const signal of SIGNALS) {
    // A terminal sends Ctrl-C to both of us. The window must end in any case, so no signal ends this process.
    process.on(signal, () => signal === 'SIGINT' && process.stdin.isTTY || child.kill(signal));
  }
  return new Promise<number>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      stderr.write(`farwatch: ${program} could not be run: ${error.message}\n`);
      resolve(error.code === 'ENOENT' ? 127 : 126);
    });
    child.on('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
