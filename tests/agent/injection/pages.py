"""Pages that say a text wherever a page can. They say it by script, for HTML can't hold every character."""

from __future__ import annotations

from tests.agent.injection.hostile import in_script

_HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'

_EVERYWHERE = """
<title>Quiet</title>
<h1>words</h1><p>words</p><pre>words</pre>
<a href="#">words</a>
<button>words</button>
<button aria-label="words">x</button>
<button title="words"></button>
<button><img alt="words" width=9 height=9 src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></button>
<label>words <input id=labelled value="words"></label>
<input placeholder="words" name="words">
<textarea aria-label="words">words</textarea>
<select aria-label="words"><option value="words">words</option><option>words</option></select>
<fieldset><legend>words</legend><input type=checkbox aria-describedby=said></fieldset><p id=said>words</p>
<div contenteditable aria-label="words">words</div>
<div role="words" tabindex=0>words</div>
<input type=submit value="words">
<dialog open aria-label="words"><h2>words</h2><button>words</button></dialog>
<details><summary>words</summary>words</details>
<table><caption>words</caption><tr><th>words</th></tr><tr><td>words</td></tr></table>
<iframe name="words" title="words" srcdoc="<title>words</title><button>words</button>"></iframe>
"""

_FILL = """
const said = %s, walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
for (let node; (node = walk.nextNode()); )
  if (node.nodeType === 3) node.data = node.data.replaceAll('words', () => said);
  else if (node.attributes) for (const each of node.attributes) if (each.value === 'words') each.value = said;
for (const each of document.querySelectorAll('input:not([type]), textarea'))
  if (each.value === 'words') each.value = said;
document.title = said;
for (const frame of document.querySelectorAll('iframe')) frame.onload = () => {
  frame.contentDocument.title = said;
  frame.contentDocument.querySelector('button').textContent = said;
};
document.body.dataset.said = said;
"""


def text_page(text: str, more: str = "") -> str:
    """A page whose title, names, labels, values, options, placeholders, addresses and texts are `text`."""
    return f"{_HEAD}<body>{_EVERYWHERE}{more}<script>{_FILL % in_script(text)}</script>"


INVISIBLE = {
    "display": "display:none", "visibility": "visibility:hidden", "opacity": "opacity:0", "font": "font-size:0",
    "size": "display:block;width:0;height:0;overflow:hidden", "place": "position:absolute;left:-9999px",
    "colour": "color:#fff;background:#fff", "clip": "position:absolute;clip-path:inset(50%)",
    "transform": "display:block;transform:scale(0)",
}  # fmt: skip
"""Ways to hide a text from a person, as styles."""


def hidden_text_page(text: str) -> str:
    """A page that says `text` only where no person sees it, and has one button, `Fine`."""
    styled = "".join(f"<p style='{each}'></p><a href='#' style='{each}'></a>" for each in INVISIBLE.values())
    return f"""{_HEAD}<title>Quiet</title><body><button>Fine</button>{styled}<p hidden></p>
<template></template><noscript></noscript><script>
const said = {in_script(text)};
for (const each of document.querySelectorAll('p, a, template, noscript')) each.textContent = said;
document.body.append(document.createComment(said));
</script>"""


def activity_page(text: str) -> str:
    """A page that says `text` by what it does once its button `Say` is pressed: console, errors, requests, cookies,
    storage, history, a title, a new element, and a dialog at the end."""
    return f"""{_HEAD}<title>Quiet</title><body><button>Say</button><script>
const said = {in_script(text)};
document.querySelector('button').onclick = async () => {{
  console.log(said, {{[said]: said}}); console.error(new Error(said));
  document.cookie = 'plain=' + encodeURIComponent(said);
  document.cookie = 'raw=' + said.replace(/[;\\x00-\\x1f\\x7f]/g, ' ');
  localStorage.setItem(said, said); sessionStorage.setItem(said, said);
  window.name = said; document.title = said;
  document.body.append(Object.assign(document.createElement('button'), {{textContent: said}}));
  const coded = encodeURIComponent(said), json = JSON.stringify({{[said]: said}});
  await fetch('/api?q=' + coded, {{method: 'POST', body: said, headers: {{'X-Said': coded}}}});
  await fetch('/api/' + coded, {{method: 'PUT', body: json, headers: {{'Content-Type': 'application/json'}}}});
  history.pushState(null, '', '/at/' + encodeURIComponent(said) + '?q=' + said + '#' + said);
  setTimeout(() => {{ throw new TypeError(said); }});
  prompt(said, said);
}};</script>"""
