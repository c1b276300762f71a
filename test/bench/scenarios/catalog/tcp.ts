import type { Expected, Scenario } from '../scenario.ts';

const down = (type: string): Expected => ({ event: 'monitor.down', type, layer: 'connect' });

export const TCP: readonly Scenario[] = [
  {
    name: 'tcp-refused', expected: down('connection_error'),
    detector: ({ tcp }) => ({ type: 'TCP', target: `127.0.0.1:${tcp.port}` }),
    toggle: ({ tcp }, isOn) => (isOn ? tcp.close() : tcp.listen()),
  },
  {
    name: 'tcp-timeout', expected: down('timeout'),
    detector: ({ silentTcp }) => ({ type: 'TCP', target: `127.0.0.1:${silentTcp.port}` }),
    toggle: ({ silentTcp }, isOn) => silentTcp.silence(isOn),
  },
];
