import { seedsPass } from './seeds-pass.ts';

seedsPass(23, 20);
