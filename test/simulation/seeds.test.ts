import { fewOrAll } from '../helpers/few-or-all.ts';
import { seedsPass } from './seeds-pass.ts';

/** `npm run simulate` has as many as one likes. */
seedsPass(1, fewOrAll(1, 2));
