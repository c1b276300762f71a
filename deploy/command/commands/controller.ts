import type { DefineCommand } from '../command.ts';
import { runProcess } from '../run-process.ts';

export const define: DefineCommand = (command, { bundles }) => {
  command.description(
    'Runs a controller until stopped. Settings are environment variables, MONGODB_URL and NATS_URL among them.',
  );
  return () => runProcess(bundles, 'controller', []);
};
