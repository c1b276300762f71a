import { backUp } from '../../data/back-up.ts';
import { readInstallationData } from '../../data/installation-data.ts';
import { EXIT, type DefineCommand } from '../command.ts';
import { DATA_HELP, orRefuse, printCounts } from '../data-command.ts';

interface Options {
  json?: boolean;
}

export const define: DefineCommand = (command, { env, version, output }) => {
  command.description('Writes the data of this installation to a new file, whether Farwatch is running or not.')
    .argument('<file>', 'does not exist yet; only its owner will be able to read it')
    .option('--json', 'print JSON')
    .addHelpText('after', DATA_HELP);
  return async (file: string, { json }: Options) => {
    const { path, at, bytes, counts } = await orRefuse(backUp(readInstallationData(env), file, version));
    const instant = new Date(at).toISOString();
    if (json) output.json({ file: path, at: instant, bytes, collections: Object.fromEntries(counts) });
    else {
      printCounts(output, counts);
      output.line(`${path} has everything that was stored by ${instant} (${bytes} bytes, verified).`);
    }
    return EXIT.done;
  };
};
