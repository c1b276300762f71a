import { seedsPass } from './seeds-pass.ts';

/** `npm run simulate` runs any number of seeds. */
seedsPass(2, 6);
