import { readInstallationData } from '../../data/installation-data.ts';
import { move } from '../../data/move.ts';
import { setting } from '../../../shared/setting.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';
import { DATA_HELP, orRefuse, printCounts } from '../data-command.ts';

interface Options {
  to?: string;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Copies the embedded store to an empty database of your own MongoDB. Stop Farwatch first.')
    .option('--to <url>', 'address of the database: mongodb://…/NAME (required)')
    .addHelpText('after', DATA_HELP);
  return async ({ to }: Options) => {
    if (to === undefined) throw new CommandError('--to must name a database: --to mongodb://…/NAME', EXIT.refused);
    const parsed = setting.url('mongodb', 'mongodb+srv').safeParse(to);
    if (!parsed.success) throw new CommandError(`--to ${parsed.error.issues[0]?.message}`, EXIT.refused);
    printCounts(output, await orRefuse(move(readInstallationData(env), to)));
    output.line('Copied and compared. Now set MONGODB_URL to the address that --to has, and start Farwatch.');
    return EXIT.done;
  };
};
