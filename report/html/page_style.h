// How a report looks where styles are allowed. Nothing in it is needed to read the page. Charts
// keep a white ground in the dark theme: their colours are chosen for it.
#pragma once

namespace orrery {

inline constexpr const char* page_style =
    R"(:root { color-scheme: light dark; --ground: #ffffff; --ink: #1a1a1a; --quiet: #595959;
  --line: #cccccc; --link: #0059a0; }
@media (prefers-color-scheme: dark) { :root { --ground: #1c1c1c; --ink: #ededed; --quiet: #b3b3b3;
  --line: #555555; --link: #8ec5ff; } }
:root[data-theme=light] { color-scheme: light;
  --ground: #ffffff; --ink: #1a1a1a; --quiet: #595959; --line: #cccccc; --link: #0059a0; }
:root[data-theme=dark] { color-scheme: dark;
  --ground: #1c1c1c; --ink: #ededed; --quiet: #b3b3b3; --line: #555555; --link: #8ec5ff; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
a { color: var(--link); }
nav ul { columns: 2; padding-left: 1.2rem; }
figure { margin: 0.5rem 0; overflow-x: auto; background: #ffffff; }
figure svg { display: block; max-width: 100%; height: auto; }
.answer { overflow-wrap: anywhere; }
.note { color: var(--quiet); font-size: 0.875rem; }
details { margin: 0.5rem 0; overflow-x: auto; }
summary { cursor: pointer; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 0.15rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left;
  font-weight: normal; overflow-wrap: anywhere; }
thead th { font-weight: bold; overflow-wrap: break-word; }
td.n { text-align: right; white-space: nowrap; }
thead button { font: inherit; font-weight: bold; color: inherit; background: none; border: 0;
  padding: 0; cursor: pointer; text-align: left; }
th[aria-sort=ascending] button::after { content: " \2191"; }
th[aria-sort=descending] button::after { content: " \2193"; }
tr.lit { outline: 2px solid var(--link); }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; font-size: 0.875rem; }
.readout { position: fixed; left: 0; right: 0; bottom: 0; padding: 0.3rem 1rem; background:
  var(--ground); color: var(--ink); border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.readout[hidden] { display: none; }
.printed { display: none; }
.out { opacity: 0.1; }
.pale { opacity: 0.25; }
.at { stroke: #1a1a1a; stroke-width: 2; }
.cursor { stroke: #1a1a1a; stroke-dasharray: 2 2; }
figure svg { touch-action: pan-y; user-select: none; }
@media (max-width: 720px) { nav ul { columns: 1; } figure svg { max-width: none; } }
@media print { .printed { display: block; } nav, .tools, .readout, details.long { display: none; }
  body { color: #000000; } main { max-width: none; padding: 0; } figure { overflow-x: visible; }
  details { overflow-x: visible; } details::details-content { content-visibility: visible; }
  details > table { font-size: 0.75rem; } thead { display: table-header-group; }
  h2, h3, .answer, summary { break-after: avoid; } figure, tr { break-inside: avoid; }
}
)";

}  // namespace orrery
