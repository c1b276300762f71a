import { checkControllerConfig, type ControllerConfig } from '../../controller/config.ts';
import { checkProbeConfig } from '../../probe/config.ts';
import { ConfigError, type Environment } from '../../shared/environment.ts';

export interface QuickstartSettings {
  controller: ControllerConfig;
  /** False if the quickstart provides one; then the URL in `controller` is a placeholder. */
  hasMongo: boolean;
  hasNats: boolean;
}

/** All settings. Throws ConfigError listing every invalid value. */
export function readSettings(env: Environment): QuickstartSettings {
  const isSet = (name: string) => Boolean(env[name]?.trim() || env[`${name}_FILE`]?.trim());
  const hasMongo = isSet('MONGODB_URL');
  const hasNats = isSet('NATS_URL');
  const placeholders = {
    ...(hasMongo ? {} : { MONGODB_URL: 'mongodb://embedded' }),
    ...(hasNats ? {} : { NATS_URL: 'nats://embedded' }),
  };
  const controller = checkControllerConfig({ ...env, ...placeholders });
  const probe = checkProbeConfig(env, []);
  const problems = [...new Set([...controller.problems, ...probe.problems])];
  if (!controller.config || problems.length > 0) throw new ConfigError(problems);
  return { controller: controller.config, hasMongo, hasNats };
}
