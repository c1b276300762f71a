import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { restoreManifest } from './manifest.mjs';

restoreManifest(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
