// What `npm run verify` runs before a commit: everything that needs no server, in under a minute.
import { Progress } from './progress.mjs';
import { conclude, prepare, runChecksAndUnit, STEPS } from './steps.mjs';

const { types, boundaries, lint, unit } = STEPS;
const steps = { types, boundaries, lint, unit };
await prepare();
conclude(await runChecksAndUnit(Object.keys(steps), new Progress(steps)));
