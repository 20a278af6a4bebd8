"""The style of the page: light, dark, phone and paper.

Colors are from the palette of the tree drawings, moved until words in them have a contrast of at
least 4.5 with the ground, in both modes; blue and orange stay apart for every eye.
"""

from branchline.charts import page_style

__all__ = ["STYLE"]

_COLORS_LIGHT = (
    "--ground:#fff;--panel:#f4f6f9;--ink:#1f2328;--quiet:#57606a;--rule:#d8dee4;"
    "--first:#1f5fa8;--second:#a84e00;--good:#1a6b3c;--caution:#8a4600;--caution-ground:#fff6e5"
)
_COLORS_DARK = (
    "--ground:#14181d;--panel:#1c2229;--ink:#e6edf3;--quiet:#a3adb8;--rule:#3a424c;"
    "--first:#7ab4f5;--second:#f2a65e;--good:#6fd197;--caution:#f5c26b;--caution-ground:#2c2415"
)

STYLE = (
    page_style()
    + f"""
:root{{color-scheme:light dark;{_COLORS_LIGHT}}}
@media (prefers-color-scheme:dark){{:root{{{_COLORS_DARK}}}}}
@media print{{:root{{color-scheme:light;{_COLORS_LIGHT}}}}}
"""
    + """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
header,main{max-width:1040px;margin:0 auto;padding:0 20px}
header{padding-top:36px}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
header p{margin:0;color:var(--quiet)}
h2{font-size:1.3rem;margin:0 0 12px}
h3{font-size:1.05rem;margin:28px 0 6px}
p,ul{margin:10px 0;overflow-wrap:anywhere}
ul{padding-left:1.3em}
li{margin:4px 0}
a{color:var(--first)}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;background:var(--ground);padding:8px}
nav ol{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:18px 0 0;padding:12px 0;
border-top:1px solid var(--rule);border-bottom:1px solid var(--rule)}
nav li{margin:0}
section{padding:32px 0 8px;border-bottom:1px solid var(--rule)}
section:last-child{border:0}
.lead{font-size:1.32rem;line-height:1.4;font-weight:600;margin:0 0 12px}
.quiet{color:var(--quiet);font-size:.92rem}
.notice{display:flex;gap:10px;padding:10px 14px;border-radius:6px;background:var(--panel);
border-left:4px solid var(--good)}
.notice.caution{background:var(--caution-ground);border-left-color:var(--caution)}
.notice .mark{font-weight:700;color:var(--good)}
.notice.caution .mark{color:var(--caution)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:10px;margin:18px 0}
.facts>div{background:var(--panel);border-radius:8px;padding:12px 14px}
.facts dt{color:var(--quiet);font-size:.86rem}
.facts dd{margin:0}
.facts b{display:block;font-size:1.32rem;line-height:1.35;overflow-wrap:break-word}
.facts span{color:var(--quiet);font-size:.86rem;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:14px 0;max-width:100%}
table{border-collapse:collapse;font-size:.92rem;width:100%}
.caption{color:var(--quiet);font-size:.88rem;margin:22px 0 -8px}
details .caption{margin-top:8px}
th,td{padding:5px 16px 5px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}
thead th,thead th.number{color:var(--quiet);font-weight:600;
vertical-align:bottom;white-space:normal}
tbody th{font-weight:400;white-space:nowrap}
th:last-child,td:last-child{padding-right:4px}
table.dense{font-size:.84rem}.dense th,.dense td{padding-right:9px}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr.marked th,tr.marked td{font-weight:650;background:var(--panel)}
tr.break th,tr.break td{border-top:2px solid var(--quiet)}
.plot{margin:22px 0;min-width:0}
figure{margin:0}
figcaption{overflow-wrap:anywhere}
figcaption p{margin:2px 0 0;color:var(--quiet);font-size:.92rem}
.beside{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(340px,100%),1fr));gap:0 28px}
details{margin:10px 0}
summary{cursor:pointer;color:var(--first);font-size:.92rem;width:fit-content}
pre{background:var(--panel);border-radius:6px;padding:12px 14px;overflow-x:auto;
font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin:12px 0}
:focus-visible{outline:2px solid var(--first);outline-offset:2px}
.picture svg{display:block}
.wide svg.blc{width:100%}
.narrow{display:none}
@media (max-width:640px){
body{font-size:15px}header,main{padding:0 16px}header{padding-top:20px}
.wide{display:none}.narrow{display:block}tbody th{white-space:normal}
.facts b{font-size:1.15rem}td.long{min-width:15em}
.lead{font-size:1.15rem}h1{font-size:1.4rem}
nav ol{gap:2px 14px;font-size:.92rem}
.facts{grid-template-columns:repeat(auto-fit,minmax(140px,1fr))}
.cards,.cards tbody{display:block}
.cards thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards tbody tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:7px 0;
border-bottom:1px solid var(--rule)}
.cards tbody th,.cards tbody td{border:0;padding:0;text-align:left;
white-space:normal;overflow-wrap:anywhere}
.cards tbody th{flex:1 0 100%;font-weight:650}
.cards td::before{content:attr(data-head) " ";color:var(--quiet);font-size:.92em}
.cards td.long{flex:1 0 100%;min-width:0}
.cards tr.marked{background:var(--panel)}
.cards tr.break{border-top:2px solid var(--quiet)}
}
@media print{
@page{margin:16mm 14mm}
body{font-size:10.5pt}header,main{max-width:none;padding:0}
nav,.skip,summary{display:none}
section{border:0;padding:0 0 6px;break-before:page}
section:first-of-type{break-before:auto;padding-top:14px}
.scroll,pre{overflow:visible}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
.picture svg{max-width:100%;height:auto;max-height:205mm}
.beside{grid-template-columns:1fr 1fr;gap:0 20px}
.facts{grid-template-columns:repeat(4,1fr)}
figure,pre,.facts>div,tr,.notice{break-inside:avoid}
#textbook,#failed,#sealed{break-before:auto}
h2,h3,.caption{break-after:avoid}
thead{display:table-header-group}
tbody tr:first-child,tbody tr:nth-child(2){break-after:avoid}
tbody tr:last-child,tbody tr:nth-last-child(2){break-before:avoid}
table{font-size:8.6pt}th,td{padding:3px 8px 3px 0}
.plot{margin:14px 0}
.plot table{font-size:7.6pt;line-height:1.3}.plot th,.plot td{padding:1px 6px 1px 0}
.plot .caption,.plot pre,.beside details{display:none}
.number,tbody th{white-space:normal}
details::details-content{content-visibility:visible;height:auto;display:block}
.notice,.facts>div,tr.marked th,tr.marked td,pre,svg *{-webkit-print-color-adjust:exact;
print-color-adjust:exact}
.wide{display:block}.narrow{display:none}
a{color:inherit;text-decoration:none}
}
"""
)
