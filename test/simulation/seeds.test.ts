import { seedsPass } from './seeds-pass.ts';

/** `npm run simulate` has as many as one likes. */
seedsPass(1, 2);
