import { main } from '../../quickstart/main.ts';
import type { DefineCommand } from '../command.ts';

export const define: DefineCommand = (command, { env, bundles, stdout, stderr }) => {
  command.description(
    'Runs NATS, a database, a controller and a probe on this machine until stopped. Settings are environment variables.',
  );
  return () => main({ env, bundles, stdout, stderr });
};
