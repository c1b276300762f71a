import { configureGlobal } from 'fast-check';

// Every run has the same cases, so that a failure points to a change; FC_SEED=<number> selects others.
configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 1) });
