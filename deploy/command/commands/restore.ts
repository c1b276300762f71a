import { readInstallationData } from '../../data/installation-data.ts';
import { restore } from '../../data/restore.ts';
import { EXIT, type DefineCommand } from '../command.ts';
import { DATA_HELP, orRefuse, printCounts } from '../data-command.ts';

export const define: DefineCommand = (command, { env, version, output }) => {
  command.description('Fills an empty DATA_DIR, or the empty database of MONGODB_URL, from a backup.')
    .argument('<file>', 'a file that farwatch backup has written')
    .addHelpText('after', DATA_HELP);
  return async (file: string) => {
    const data = readInstallationData(env);
    const { at, counts } = await orRefuse(restore(data, file, version));
    printCounts(output, counts);
    const where = data.mongoUrl === null ? data.dataDir : 'the database of MONGODB_URL';
    output.line(`Restored ${where} as of ${new Date(at).toISOString()}. Now start Farwatch.`);
    return EXIT.done;
  };
};
