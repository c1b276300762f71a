// `npm run fuzz -- [--seed N] [--requests N]`: sends a whole controller what it should take and what it
// should not; a fault is printed with the command that repeats it.
import { runBundled } from './bundle.mjs';

await runBundled('test/fuzz/main.ts');
