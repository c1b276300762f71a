// `npm run fuzz -- [--seed N] [--requests N]` sends valid and invalid requests to a whole controller. Each fault is
// printed with a command that reproduces it.
import { runBundled } from './bundle.mjs';

await runBundled('test/fuzz/main.ts');
