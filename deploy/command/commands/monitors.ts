import { CLIENT_HELP, clientOf } from '../client.ts';
import type { DefineCommand } from '../command.ts';
import { readMonitors } from '../monitors.ts';

interface Options {
  tag?: string;
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Lists the monitors of the project with their states.')
    .option('--tag <tag>', 'only monitors with this tag')
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async ({ tag, json }: Options) => {
    const monitors = await readMonitors(clientOf(env), tag);
    if (json) output.json({ monitors });
    else {
      output.table(monitors, {
        NAME: ({ name }) => name,
        STATE: ({ runtimeStatus, in_maintenance }) => `${runtimeStatus}${in_maintenance ? ' (maintenance)' : ''}`,
        'UPTIME 24 H': ({ uptime_24h }) => (typeof uptime_24h === 'number' ? `${uptime_24h.toFixed(2)} %` : null),
        RESPONSE: ({ response_time_ms }) => (response_time_ms === null ? null : `${Math.round(response_time_ms)} ms`),
        TYPE: ({ type }) => type,
        TARGET: ({ target }) => target,
        ID: ({ id }) => id,
      }, 'No monitors', { cut: ['NAME', 'TARGET'], omit: ['TYPE', 'RESPONSE', 'TARGET', 'UPTIME 24 H'] });
    }
    return 0;
  };
};
