import { CLIENT_HELP, clientOf } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';

interface Options {
  monitor?: string[];
  tag?: string[];
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description(
    'Marks this moment in the charts and incidents of monitors, such as a deployment: of those named, of those with a '
      + 'tag, or of all of the project. Needs an API key with the scope read_write.',
  )
    .argument('<text>', 'what happens, such as a version; up to 200 characters')
    .option('--monitor <id...>', 'ids of monitors')
    .option('--tag <tag...>', 'all monitors with one of these tags')
    .option('--json', 'print the marker as JSON')
    .addHelpText('after', CLIENT_HELP);
  return async (text: string, { monitor, tag, json }: Options) => {
    if (monitor !== undefined && tag !== undefined) {
      throw new CommandError('give --monitor or --tag, not both', EXIT.refused);
    }
    const { marker } = await clientOf(env).call<{ marker: { id: string } }>('/api/markers', {
      method: 'POST', body: { text, monitor_ids: monitor, tags: tag },
    });
    if (json) output.json({ marker });
    else output.line(marker.id);
    return EXIT.done;
  };
};
