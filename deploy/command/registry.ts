import type { DefineCommand } from './command.ts';

export interface RegisteredCommand {
  /** For `farwatch --help`. */
  summary: string;
  /** Imported when it is called, so that no command waits for the code of the others. */
  load(): Promise<{ define: DefineCommand }>;
}

/** Every command, in the order of `farwatch --help`. The first one runs if none is named. */
export const COMMANDS: Readonly<Record<string, RegisteredCommand>> = {
  start: { summary: 'run everything on this machine (default)', load: () => import('./commands/start.ts') },
  controller: { summary: 'run a controller', load: () => import('./commands/controller.ts') },
  probe: { summary: 'run a probe', load: () => import('./commands/probe.ts') },
  doctor: { summary: 'check this installation', load: () => import('./commands/doctor.ts') },
};
export const DEFAULT_COMMAND = 'start';
