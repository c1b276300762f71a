import { CLIENT_HELP, clientOf } from '../client.ts';
import { CommandError, EXIT, type DefineCommand } from '../command.ts';
import { readConfiguration } from '../configuration.ts';
import { itemsIn, planText, type Plan } from '../plan.ts';

const EXIT_CHANGES = 2;

interface Options {
  file: string;
  owner?: string;
  prune?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Creates and changes monitors and the like as a file says. Everything is validated before anything changes.')
    .requiredOption('-f, --file <path>', 'a YAML or JSON file, or a folder whose files are read as one')
    .option('--owner <name>', 'mark what the file contains as managed by this name')
    .option('--prune', 'delete what earlier files of the owner contained and this one does not')
    .option('--dry-run', 'show the changes without making them; exits with 0 without changes and with 2 with some')
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async ({ file, owner, prune = false, dryRun = false, json }: Options) => {
    if (prune && owner === undefined) throw new CommandError('--prune needs --owner', EXIT.refused);
    const client = clientOf(env);
    const body = await readConfiguration(file);
    const query = new URLSearchParams({ dry_run: String(dryRun) });
    if (owner !== undefined) query.set('owner', owner);
    if (prune) query.set('prune', 'true');
    const plan = await client.call<Plan>(`/api/import?${query}`, { method: 'POST', body });
    if (json) output.json(plan);
    else output.text(planText(plan));
    const actions = new Set(itemsIn(plan).map(({ action }) => action));
    if (actions.has('conflict')) throw new CommandError('the file contains what others manage; it would change nothing');
    return dryRun && [...actions].some((action) => action !== 'unchanged') ? EXIT_CHANGES : EXIT.done;
  };
};
