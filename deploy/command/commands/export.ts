import { stringify } from 'yaml';
import { CLIENT_HELP, clientOf } from '../client.ts';
import { EXIT, type DefineCommand } from '../command.ts';
import { MAX_MONITORS, type ConfigurationDocument } from '../configuration.ts';

export const define: DefineCommand = (command, { env, output }) => {
  command.description(
    'Prints the project as a YAML document for farwatch apply. A key with the scope read gets *** for passwords and tokens.',
  )
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async ({ json }: { json?: boolean }) => {
    const client = clientOf(env);
    const read = (offset: number) => client.call<ConfigurationDocument & { monitors: unknown[] }>(`/api/export?offset=${offset}`);
    let document = await read(0);
    for (let length = MAX_MONITORS; document.monitors.length === length; length += MAX_MONITORS) {
      // The last document has what refers to monitors.
      const next = await read(length);
      document = { ...next, monitors: [...document.monitors, ...next.monitors] };
    }
    if (json) output.json(document);
    else output.text(stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }));
    return EXIT.done;
  };
};
