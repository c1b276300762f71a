import { configureGlobal } from 'fast-check';

// The same cases in every run, so that a change is judged by itself; FC_SEED=<number> looks at others.
configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 1) });
