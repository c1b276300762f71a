// `npm run simulate -- --seeds N [--seed S]` runs the deterministic simulation of the ingest. A failing seed is printed
// and reproduces its failure.
import { runBundled } from './bundle.mjs';

await runBundled('test/simulation/main.ts');
