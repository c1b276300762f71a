import type { DefineCommand } from '../command.ts';
import { runProcess } from '../run-process.ts';

interface Options {
  controller?: string;
  token?: string;
  tokenFile?: string;
}

export const define: DefineCommand = (command, { bundles }) => {
  command.description('Runs a probe until stopped. The first start needs a controller and a token, later ones neither.')
    .option('--controller <url>', 'address of a controller')
    .option('--token <token>', 'enrolment token or key; also FARWATCH_TOKEN')
    .option('--token-file <file>', 'a file with the token');
  return (options: Options) => {
    const flags = Object.entries({
      '--controller': options.controller, '--token': options.token, '--token-file': options.tokenFile,
    });
    return runProcess(bundles, 'probe', flags.flatMap(([name, value]) => value === undefined ? [] : [`${name}=${value}`]));
  };
};
