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
  backup: { summary: 'write the data of this installation to a file', load: () => import('./commands/backup.ts') },
  restore: { summary: 'fill an empty installation from a backup', load: () => import('./commands/restore.ts') },
  move: { summary: 'copy the embedded store to your own MongoDB', load: () => import('./commands/move.ts') },
  monitors: { summary: 'list monitors with their states', load: () => import('./commands/monitors.ts') },
  incidents: { summary: 'list incidents, or show one', load: () => import('./commands/incidents.ts') },
  ack: { summary: 'acknowledge an incident', load: () => import('./commands/ack.ts') },
  tail: { summary: 'print live events', load: () => import('./commands/tail.ts') },
  check: { summary: 'check a target now', load: () => import('./commands/check.ts') },
  maintenance: { summary: 'hold alerts for a time or during a command', load: () => import('./commands/maintenance.ts') },
  marker: { summary: 'mark a deployment in charts and incidents', load: () => import('./commands/marker.ts') },
  apply: { summary: 'make monitors as a file says', load: () => import('./commands/apply.ts') },
  convert: { summary: 'make such a file of one of another tool', load: () => import('./commands/convert.ts') },
  export: { summary: 'print monitors as a file', load: () => import('./commands/export.ts') },
};
export const DEFAULT_COMMAND = 'start';
