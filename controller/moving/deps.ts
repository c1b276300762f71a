import type { ConfigurationDeps } from '../import-export/deps.ts';
import type { FileConverter } from './file-converter.ts';

export interface MovingDeps extends ConfigurationDeps {
  converter: Pick<FileConverter, 'convert'>;
}
