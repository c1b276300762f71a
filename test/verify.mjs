// `npm run verify`, run before a commit: everything that needs no server, in under a minute.
import { Progress } from './progress.mjs';
import { CHECKS, conclude, prepare, runSteps, STEPS } from './steps.mjs';

const checks = Object.keys(CHECKS);
const steps = Object.fromEntries([...checks, 'unit'].map((name) => [name, STEPS[name]]));
await prepare();
conclude(await runSteps([checks, ['unit']], new Progress(steps)));
