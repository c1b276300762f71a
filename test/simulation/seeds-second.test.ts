import { seedsPass } from './seeds-pass.ts';

seedsPass(13, 10);
