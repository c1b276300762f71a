import type { Check, CheckName } from './check.ts';
import { checkCertificates } from './checks/certificates.ts';
import { checkClock } from './checks/clock.ts';
import { checkDataDir } from './checks/data-dir.ts';
import { checkDatabase } from './checks/database.ts';
import { checkDatabaseOperations } from './checks/database-operations.ts';
import { checkDisk } from './checks/disk.ts';
import { checkDns } from './checks/dns.ts';
import { checkMail } from './checks/mail.ts';
import { checkNats } from './checks/nats.ts';
import { checkNatsPermissions } from './checks/nats-permissions.ts';
import { checkNode, checkSettings } from './checks/node.ts';
import { checkPorts } from './checks/ports.ts';

export const CHECKS: Readonly<Record<CheckName, Check>> = {
  node: checkNode,
  settings: checkSettings,
  data_dir: checkDataDir,
  disk: checkDisk,
  dns: checkDns,
  ports: checkPorts,
  database: checkDatabase,
  database_operations: checkDatabaseOperations,
  nats: checkNats,
  nats_permissions: checkNatsPermissions,
  clock: checkClock,
  certificates: checkCertificates,
  mail: checkMail,
};
