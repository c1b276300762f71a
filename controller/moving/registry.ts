import type { Converter } from './converter.ts';
import { betterstack } from './converters/betterstack.ts';
import { blackbox } from './converters/blackbox.ts';
import { csv } from './converters/csv.ts';
import { gatus } from './converters/gatus.ts';
import { healthchecks } from './converters/healthchecks.ts';
import { kuma } from './converters/kuma.ts';
import { uptimerobot } from './converters/uptimerobot.ts';
import type { From } from './schema.ts';

/** By the name in `from`. */
export const CONVERTERS: Readonly<Record<From, Converter>> = {
  kuma, gatus, uptimerobot, betterstack, healthchecks, blackbox, csv,
};
