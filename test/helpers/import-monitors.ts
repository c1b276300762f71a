import type { Db } from 'mongodb';
import { DestinationStore } from '../../controller/destinations/store.ts';
import { GroupStore } from '../../controller/groups/store.ts';
import type { ProjectContext } from '../../controller/http/routing/route.ts';
import type { ConfigurationDeps } from '../../controller/import-export/deps.ts';
import { ImportTurns } from '../../controller/import-export/import-turns.ts';
import { documentInput, type DocumentInput } from '../../controller/import-export/schema.ts';
import { ImportTurnStore } from '../../controller/import-export/store.ts';
import { importDocument } from '../../controller/import-export/verbs/import-document.ts';
import { WindowStore } from '../../controller/maintenance/store.ts';
import type { MonitorWriteDeps } from '../../controller/monitors/deps.ts';
import { SecretBox } from '../../controller/secrets/secret-box.ts';
import { PageStore } from '../../controller/status-pages/store.ts';
import { VariableStore } from '../../controller/variables/store.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';

/** Imports a document that has only monitors, written by these deps. */
export function importMonitors(db: Db, monitors: MonitorWriteDeps, ctx: ProjectContext, items: object[]) {
  const clock = systemClock;
  const turns = { turns: new ImportTurnStore(db), clock, holder: 'a', log: createLog('test', 'silent') };
  const stores = {
    monitors, imports: new ImportTurns(turns), groups: new GroupStore(db, clock),
    destinations: { destinations: new DestinationStore(db) }, pages: { pages: new PageStore(db) },
    maintenance: { windows: new WindowStore(db) },
    variables: { variables: new VariableStore(db, SecretBox.of('test')) },
  };
  const document = documentInput(monitors.minIntervalSeconds).body.parse({ monitors: items }) as DocumentInput;
  return importDocument(stores as unknown as ConfigurationDeps, ctx, document, { dry_run: false, prune: false });
}
