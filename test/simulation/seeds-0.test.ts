import { seedsPass } from './seeds-pass.ts';

seedsPass(7, 16);
