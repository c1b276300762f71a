import { seedsPass } from './seeds-pass.ts';

seedsPass(3, 10);
