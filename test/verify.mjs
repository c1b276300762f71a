// What `npm run verify` runs before a commit: everything that needs no server, in under a minute.
import { conclude, prepare, runCheck, runTests } from './steps.mjs';

await prepare();
const checks = ['types', 'boundaries', 'lint'].reduce(async (before, name) => [...(await before), await runCheck(name)], Promise.resolve([]));
const [outcomes, tests] = await Promise.all([checks, runTests('unit')]);
conclude([...outcomes, tests]);
