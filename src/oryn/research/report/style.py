"""How a report's page looks: on light and dark screens, narrow ones, and on paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --page: #fbfaf7; --card: #fff; --line: #e3e0d8;
  --accent: #0f6b5c; --mark: #fdf0b8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4; --page: #14171c; --card: #1b1f26;
  --line: #2c323c; --accent: #5fd0b8; --mark: #4d4416; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 2rem; }
body { margin: 0 auto; max-width: 46rem; padding: 3.5rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 17px/1.6 ui-serif, Georgia, Cambria, serif; overflow-wrap: anywhere; }
header p, h2, small, footer, ul { font-family: system-ui, sans-serif; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.2rem; }
header p { margin: 0; color: var(--soft); font-size: .85rem; }
header p:first-child { color: var(--accent); font-weight: 600; letter-spacing: .06em; text-transform: uppercase; }
h1 { margin: .3rem 0 .5rem; font-size: 2.1rem; line-height: 1.2; }
h2 { margin: 2.8rem 0 .9rem; font-size: .85rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
h3 { margin: 0 0 .6rem; font-size: 1rem; line-height: 1.4; }
a { color: var(--accent); text-underline-offset: .15em; }
section:first-child p { margin: 0 0 .8rem; font-size: 1.16rem; }
.cites { white-space: nowrap; }
.number { display: inline-block; min-width: 1.5em; padding: 0 .38em; margin-left: .2em; border-radius: .8em;
  background: color-mix(in srgb, var(--accent) 14%, transparent); font: 600 .75rem/1.5 system-ui, sans-serif;
  text-align: center; text-decoration: none; vertical-align: .12em; }
.number:hover, .number:focus-visible { background: var(--accent); color: var(--page); }
ol { margin: 0; padding-left: 1.9rem; }
ol li { margin: 0 0 1rem; padding-left: .3rem; }
ol li::marker { color: var(--accent); font: 600 .9rem system-ui, sans-serif; }
ol b { font-weight: 600; }
small { display: block; color: var(--soft); font-size: .82rem; }
.facts span + span::before { content: " · "; }
article { margin: 0 0 1.1rem; padding: 1.1rem 1.3rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; }
article:target, article:has(:target) { border-color: var(--accent); }
blockquote { margin: 0 0 .6rem; white-space: pre-line; font-size: .98rem; }
mark { padding: .05em .1em; border-radius: .2em; background: var(--mark); color: inherit; }
mark:target { outline: 2px solid var(--accent); outline-offset: 2px; }
.out { text-decoration: none; }
li:target b { background: var(--mark); }
ul { padding-left: 1.2rem; color: var(--soft); font-size: .88rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft);
  font-size: .8rem; }
@media print { body { max-width: none; padding: 0; background: none; } article { break-inside: avoid; }
  .out { display: none; } }
"""
