// What `npm run verify` runs before a commit: everything that needs no server, in under a minute.
import { Progress } from './progress.mjs';
import { CHECKS, conclude, prepare, runChecksAndUnit, STEPS } from './steps.mjs';

const steps = Object.fromEntries([...Object.keys(CHECKS), 'unit'].map((name) => [name, STEPS[name]]));
await prepare();
conclude(await runChecksAndUnit(Object.keys(steps), new Progress(steps)));
