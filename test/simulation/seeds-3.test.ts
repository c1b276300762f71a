import { seedsPass } from './seeds-pass.ts';

seedsPass(300, 50);
