// `npm run simulate -- --seeds N [--seed S]`: runs the deterministic simulation of the ingest; a seed that
// fails is printed and reproduces.
import { runBundled } from './bundle.mjs';

await runBundled('test/simulation/main.ts');
