import type { Expected, MonitorBody, Scenario } from '../scenario.ts';
import { CANARY, page, shows } from '../targets/web-site.ts';
import type { World } from '../world.ts';

const EXPECTED: Expected = { event: 'monitor.down', type: 'keyword_missing', layer: 'content' };

/** A page that answers 200 and is not what it should be: only its words give it away. */
function badPage(name: string, body: string, rule: { text: string; should_contain: boolean }): Scenario {
  const target = (world: World): string => world.site.url(name);
  return {
    name, expected: EXPECTED,
    detector: (world): MonitorBody => ({
      type: 'KEYWORD', target: target(world), keyword_config: { keywords: [rule], case_sensitive: true },
    }),
    bystanders: { 'status only': (world) => ({ type: 'HTTP', target: target(world) }) },
    turn: (world, isOn) => world.site.set(name, isOn ? shows(body) : null),
  };
}

const SOUND = { text: CANARY, should_contain: true };
const without = (text: string) => ({ text, should_contain: false });

export const CONTENT: readonly Scenario[] = [
  badPage('content-defacement', '<html><body><h1>We were here</h1><p>Your server is ours.</p></body></html>', SOUND),
  badPage('content-empty', '\n', SOUND),
  badPage('content-error-page', '<html><body><p>The database cannot be reached.</p></body></html>', SOUND),
  badPage('content-keyword-injected', page('<p>HACKED</p>'), without('HACKED')),
  badPage('content-keyword-missing', page().replace(CANARY, 'Closed'), SOUND),
  badPage(
    'content-malicious-script', page('<script src="https://evil.example/x.js"></script>'),
    // The site's own scripts have relative addresses.
    without('<script src="http'),
  ),
  badPage('content-ransomware', '<html><body><p>Your files are encrypted. Pay.</p></body></html>', SOUND),
  badPage(
    'content-spam-links', page('<div style="display:none"><a href="https://casino.example">casino</a></div>'),
    without('display:none'),
  ),
];
