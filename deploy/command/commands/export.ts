import { stringify } from 'yaml';
import { CLIENT_HELP, clientOf } from '../client.ts';
import { EXIT, type DefineCommand } from '../command.ts';
import { MAX_MONITORS, type ConfigurationDocument } from '../configuration.ts';

export const define: DefineCommand = (command, { env, output }) => {
  command.description(
    'Prints the monitors, groups and status pages of the project as YAML, for farwatch apply. A key with the scope read '
      + 'gets *** for passwords and tokens.',
  )
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async ({ json }: { json?: boolean }) => {
    const client = clientOf(env);
    const read = (offset: number) => client.call<Required<ConfigurationDocument>>(`/api/export?offset=${offset}`);
    const document = await read(0);
    for (let last = document; last.monitors.length === MAX_MONITORS;) {
      last = await read(document.monitors.length);
      document.monitors.push(...last.monitors);
      document.status_pages = last.status_pages;
    }
    if (json) output.json(document);
    else output.text(stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }));
    return EXIT.done;
  };
};
