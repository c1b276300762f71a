import { CLIENT_HELP, clientOf } from '../client.ts';
import { EXIT, type DefineCommand } from '../command.ts';
import { readConfiguration } from '../configuration.ts';

const EXIT_CHANGES = 2;
const KINDS = { groups: 'group', monitors: 'monitor', status_pages: 'status page' } as const;

interface Item {
  name: string;
  action: string;
  changes: string[];
}

interface Plan extends Record<keyof typeof KINDS, Item[]> {
  summary: { created: number; updated: number; unchanged: number };
}

interface Options {
  file: string;
  dryRun?: boolean;
  json?: boolean;
}

export const define: DefineCommand = (command, { env, output }) => {
  command.description('Creates and changes monitors, groups and status pages as a file says. Everything is validated before anything changes.')
    .requiredOption('-f, --file <path>', 'a YAML or JSON file, or a folder of them')
    .option('--dry-run', 'show the changes without making them; exits with 0 without changes and with 2 with some')
    .option('--json', 'print JSON')
    .addHelpText('after', CLIENT_HELP);
  return async ({ file, dryRun = false, json }: Options) => {
    const client = clientOf(env);
    const body = await readConfiguration(file);
    const plan = await client.call<Plan>(`/api/import?dry_run=${dryRun}`, { method: 'POST', body });
    const { created, updated, unchanged } = plan.summary;
    if (json) output.json(plan);
    else {
      const items = (Object.keys(KINDS) as (keyof typeof KINDS)[])
        .flatMap((list) => plan[list].map((item) => ({ kind: KINDS[list], ...item })))
        .filter(({ action }) => action !== 'unchanged');
      if (items.length > 0) {
        output.table(items, {
          ACTION: ({ action }) => action, KIND: ({ kind }) => kind, NAME: ({ name }) => name,
          FIELDS: ({ action, changes }) => (action === 'update' ? changes.join(', ') : ''),
        }, '');
      }
      const [create, update] = dryRun ? ['to create', 'to update'] : ['created', 'updated'];
      output.line(`${created} ${create}, ${updated} ${update}, ${unchanged} unchanged`);
    }
    return dryRun && created + updated > 0 ? EXIT_CHANGES : EXIT.done;
  };
};
