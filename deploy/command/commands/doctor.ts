import { closeContext, openContext } from '../doctor/context.ts';
import { CHECKS } from '../doctor/registry.ts';
import { printReport } from '../doctor/report.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { EXIT, type DefineCommand } from '../command.ts';

interface Options {
  json?: boolean;
}

export const define: DefineCommand = (command, { env, version, output }) => {
  command.description("Checks this host's installation and says what to do about what is wrong, within 30 s.")
    .option('--json', 'print JSON')
    .addHelpText('after', `
Environment: the settings of the installation. Run it as the user that runs Farwatch.

Exits with 1 if a check has failed, and with 0 otherwise, even if there are warnings.`);
  return async ({ json }: Options) => {
    // The system's resolver takes up to 30 s for a name if no name server responds.
    process.env['RES_OPTIONS'] ??= 'timeout:2 attempts:1';
    const context = await openContext(env, version);
    const checks = await runChecks(CHECKS, context);
    const ok = checks.every(({ status }) => status !== 'failed');
    if (json) output.json({ ok, checks });
    else printReport(output, checks);
    await closeContext(context);
    return ok ? EXIT.done : EXIT.failed;
  };
};
