const DARK = '--ground: #10161d; --card: #1a232d; --text: #e8edf3; --line: #93a4b6; --good: #7ee2a0; ' +
  '--warning: #ffd479; --bad: #ffb4ab;';

/** Text has a contrast of at least 7 to 1 in both themes; each state is named, too, not only coloured. */
export const PUBLIC_STYLE = `
:root { color-scheme: light dark; --ground: #f5f7f9; --card: #fff; --text: #16202c; --line: #5b6b7d; --good: #0b5227; --warning: #6b4300; --bad: #8a1515; }
@media (prefers-color-scheme: dark) { [data-theme="system"] { ${DARK} } }
[data-theme="dark"] { color-scheme: dark; ${DARK} }
[data-theme="light"] { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1.25rem; background: var(--ground); color: var(--text); font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.8rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1.0625rem; margin: 0; }
header img { max-width: 100%; }
.text { white-space: pre-line; margin: .5rem 0; }
.overall { padding: 1rem; border: 2px solid currentColor; border-radius: .5rem; font-size: 1.25rem; font-weight: 600; background: var(--card); }
.operational, .up { color: var(--good); }
.degraded, .partial_outage, .maintenance, .minor { color: var(--warning); }
.major_outage, .down, .major, .critical { color: var(--bad); }
ul { list-style: none; margin: 0; padding: 0; }
li, article { padding: .75rem 1rem; margin-bottom: .5rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
li { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.name { flex: 1 1 12rem; font-weight: 600; }
.state { font-weight: 600; }
.facts { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .9375rem; }
footer { margin-top: 2rem; font-size: .9375rem; }
`;
