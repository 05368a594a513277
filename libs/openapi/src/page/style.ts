/** The whole of the page's style. Its hash is in the page's Content-Security-Policy. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
section { margin: 2rem 0; padding-top: 1rem; border-top: 1px solid var(--line); }
h2 { margin-top: 3rem; }
h3, h4 { margin: 0.5rem 0; }
.line b { padding: 0.1rem 0.5rem; border: 1px solid currentcolor; border-radius: 0.25rem; font-size: 0.85rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.6rem; border: 1px solid var(--line); }
pre { overflow: auto; max-height: 26rem; padding: 0.8rem; background: var(--soft); border: 1px solid var(--line); border-radius: 0.25rem; font-size: 0.85rem; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
figure { margin: 0.5rem 0; }
figcaption, small { opacity: 0.75; font-size: 0.85rem; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; } }
`;
