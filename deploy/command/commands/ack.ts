import { CLIENT_HELP, clientOf } from '../client.ts';
import { EXIT, type DefineCommand } from '../command.ts';

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Acknowledges an open incident. Needs an API key with the scope read_write.')
    .argument('<incident>', 'id of the incident')
    .option('--json', 'print the incident as JSON')
    .addHelpText('after', CLIENT_HELP);
  return async (id: string, { json }: { json?: boolean }) => {
    const { incident } = await clientOf(env).call<{ incident: { title: string } }>(
      `/api/incidents/${encodeURIComponent(id)}/acknowledge`, { method: 'POST' },
    );
    if (json) output.json({ incident });
    else output.line(`Acknowledged: ${incident.title}`);
    return EXIT.done;
  };
};
