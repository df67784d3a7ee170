"""The report's style sheet: light, dark where the reader's system is dark, plain black on paper."""

from collections.abc import Mapping

from studio.palette import DARK, DARK_SERIES, LIGHT, LIGHT_SERIES


def _variables(plain: Mapping[str, str], series: tuple[str, ...]) -> str:
    """Return the colours of a ground: plain ones, and those of series that the charts use."""
    used = {f"series-{place}": series[place] for place in (0, 5)}
    return " ".join(f"--{name}: {colour};" for name, colour in {**plain, **used}.items())


STYLE = """
:root { color-scheme: light dark; LIGHT_GROUND }
@media (prefers-color-scheme: dark) { :root { DARK_GROUND } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--background); color: var(--text);
  font: 15px/1.55 "Inter", "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 40px 24px 64px; }
header { margin-bottom: 28px; }
h1 { font-size: 30px; line-height: 1.2; margin: 4px 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 0 0 4px; }
.appendix { margin: 34px 0 12px; color: var(--muted); }
h3 { font-size: 15px; margin: 20px 0 4px; }
p { margin: 6px 0 10px; max-width: 68ch; }
.headline { font-size: 21px; line-height: 1.35; font-weight: 600; margin: 14px 0 0; }
.eyebrow { color: var(--accent); font-weight: 600; letter-spacing: .04em; margin: 0; }
.muted, .eyebrow + h1 + p { color: var(--muted); }
section { background: var(--surface); border: 1px solid var(--border); border-radius: 12px;
  padding: 22px 26px; margin: 0 0 18px; overflow-wrap: anywhere; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px;
  margin: 0 0 18px; }
.figures div { background: var(--surface); border: 1px solid var(--border); border-radius: 12px;
  padding: 14px 18px; }
.figures b { display: block; font-size: 26px; line-height: 1.25; font-weight: 650; }
.figures span { color: var(--muted); font-size: 13px; }
.verdict { border-left: 4px solid var(--accent); padding: 2px 0 2px 14px; margin: 14px 0 4px; }
.warning { border-left: 4px solid var(--warn); padding: 2px 0 2px 14px; }
svg { display: block; width: 100%; height: auto; margin: 10px 0 2px;
  font: 12.5px "Inter", "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0;
  margin: 6px 0 4px; color: var(--muted); font-size: 13px; }
.legend svg { display: inline-block; width: 28px; height: 10px; margin: 0 6px 0 0;
  vertical-align: middle; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--muted); font-weight: 600; font-size: 13px; }
th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--border); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.name { overflow-wrap: normal; min-width: 110px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 22px; margin: 8px 0; }
dt { color: var(--muted); } dd { margin: 0; }
pre { background: var(--raised); border-radius: 8px; padding: 12px 14px; overflow-x: auto;
  white-space: pre-wrap; font: 13px/1.5 "Cascadia Code", Menlo, Consolas, monospace; }
footer { color: var(--muted); font-size: 13px; }
@media print { :root { LIGHT_GROUND --background: #fff; --raised: #f2f2f2; --border: #bbb;
    --text: #000; --muted: #444; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  body { font-size: 11pt; } main { padding: 0; max-width: none; }
  section, .figures div { border-radius: 0; border-width: 0 0 1px; padding: 10px 0; }
  section, svg, tr, .figures { break-inside: avoid; } section.long { break-inside: auto; }
  h2, h3 { break-after: avoid; } }
@page { margin: 18mm 16mm; }
""".replace("LIGHT_GROUND", _variables(LIGHT, LIGHT_SERIES)).replace(
    "DARK_GROUND", _variables(DARK, DARK_SERIES)
)
