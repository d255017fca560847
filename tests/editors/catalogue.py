"""Pages with real editors, and the texts that go into them.

Each page has the editor in `#editor` (or made of it), and `model()`, a function of the page that returns the editor's
text from its own model: the tests compare with it, so they don't believe the scanner."""

from __future__ import annotations

import mimetypes
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOLDER = Path(__file__).parent
PACKAGES = FOLDER / "node_modules"

_HEAD = "<!doctype html><meta charset=utf-8><title>Editor</title><style>#editor { width: 700px; height: 300px }</style>"

PAGES = {
    "input": "<label>Text <input id=editor></label><script>model = () => editor.value</script>",
    "textarea": "<label>Text <textarea id=editor></textarea></label><script>model = () => editor.value</script>",
    "contenteditable": """<div id=editor contenteditable role=textbox aria-label=Text></div>
        <style>#editor { white-space: pre-wrap }</style>
        <script>const lineOf = (node, at) => (at && node.localName == 'div' ? '\\n' : '') + node.textContent
        model = () => Array.from(editor.childNodes, lineOf).join('')</script>""",
    "codemirror5": """<link rel=stylesheet href=/codemirror5/lib/codemirror.css><div id=editor></div>
        <script src=/codemirror5/lib/codemirror.js></script><script src=/codemirror5/mode/python/python.js></script>
        <script src=/codemirror5/addon/edit/closebrackets.js></script>
        <script src=/codemirror5/addon/edit/matchbrackets.js></script>
        <script>const cm = CodeMirror(editor, {mode: 'python', lineNumbers: true, autoCloseBrackets: true,
          matchBrackets: true}); model = () => cm.getValue()</script>""",
    "codemirror6": "<div id=editor></div><script src=/.bundles/codemirror6.js></script>",
    "monaco": """<div id=editor></div><script src=/monaco-editor/min/vs/loader.js></script>
        <script>require.config({paths: {vs: '/monaco-editor/min/vs'}});
        require(['vs/editor/editor.main'], () => { const e = monaco.editor.create(document.querySelector('#editor'),
          {language: 'python', value: ''}); model = () => e.getValue() })</script>""",
    "ace": """<div id=editor></div><script src=/ace-builds/src-noconflict/ace.js></script>
        <script src=/ace-builds/src-noconflict/ext-language_tools.js></script>
        <script>const e = ace.edit('editor', {mode: 'ace/mode/python', enableBasicAutocompletion: true,
          enableLiveAutocompletion: true}); model = () => e.getValue()</script>""",
    "prosemirror": """<link rel=stylesheet href=/prosemirror-view/style/prosemirror.css>
        <link rel=stylesheet href=/prosemirror-menu/style/menu.css><div id=editor></div>
        <script src=/.bundles/prosemirror.js></script>""",
    "lexical": """<div id=editor contenteditable role=textbox aria-label=Text></div>
        <script src=/.bundles/lexical.js></script>""",
    "quill": """<link rel=stylesheet href=/quill/dist/quill.snow.css><div id=editor></div>
        <script src=/quill/dist/quill.js></script>
        <script>const q = new Quill('#editor', {theme: 'snow'})
        model = () => q.getText().replace(/\\n$/, '')</script>""",
    "draft": """<link rel=stylesheet href=/draft-js/dist/Draft.css><div id=editor></div>
        <script src=/.bundles/draft.js></script>""",
    "tinymce": """<textarea id=editor></textarea><script src=/tinymce/tinymce.min.js></script>
        <script>tinymce.init({selector: '#editor', license_key: 'gpl', plugins: 'lists link autolink'}).then(([e]) => {
          model = () => Array.from(e.getBody().children, (p) => p.innerText.replace(/\\n$/, '')).join('\\n\\n')
            .replace(/\\u00a0/g, ' ') })</script>""",
    "ckeditor": """<link rel=stylesheet href=/ckeditor5/dist/browser/ckeditor5.css><div id=editor></div>
        <script src=/ckeditor5/dist/browser/ckeditor5.umd.js></script>
        <script>const {ClassicEditor, Essentials, Paragraph, Heading, Bold, List, Autoformat,
          TextTransformation} = CKEDITOR;
        const textOf = (node) => node.is('$text') ? node.data : node.is('element', 'softBreak') ? '\\n'
          : Array.from(node.getChildren(), textOf).join('');
        ClassicEditor.create(document.querySelector('#editor'), {licenseKey: 'GPL', plugins: [Essentials, Paragraph,
          Heading, Bold, List, Autoformat, TextTransformation]}).then((e) => {
          model = () => Array.from(e.model.document.getRoot().getChildren(), textOf).join('\\n\\n')
          .replace(/\\u00a0/g, ' ') })</script>""",
}
"""By name, the body of a page. `model` is set when the editor is ready."""

TARGETS = {
    "monaco": ('css("#editor")', 'css(".view-lines")'),
    "ace": ('css("#editor")', 'css(".ace_content")'),
    "tinymce": ('css(".tox-edit-area")', 'css("iframe.tox-edit-area__iframe")'),
    "ckeditor": ('css(".ck-editor")', 'css(".ck-content")'),
}
"""How commands name an editor, beside `css("#editor")`: what surrounds it, and a part of it."""

_CODE = "def f(a):\n    if a:\n        return {'k': [1, (2, 3)]}\n    return \"x\"\n\n\nprint(f(1))"
_LINE = "for (let i = 0; i < n; i++) { a[i] = `${i}` + '\"'; } // # $ % & | \\ ~ ^\n"

SAMPLES = {
    "word": "hello",
    "sentence": "The quick brown fox jumps over the lazy dog.",
    "two words": "two  blanks",
    "blanks around": "  before and after  ",
    "three lines": "one\ntwo\nthree",
    "blank lines": "one\n\ntwo\n\n\nthree",
    "ends with a break": "one\ntwo\n",
    "begins with a break": "\none",
    "windows breaks": "one\r\ntwo\r\nthree",
    "python": _CODE,
    "loop": 'for i in range(3):\n    if i:\n        print(i, "(x")\nprint("end")',
    "javascript": "function f(x) {\n  if (x) {\n    return [x, { y: `${x}` }];\n  }\n}\nf('a');",
    "go": 'func main() {\n\tfmt.Println("a")\n\tif x {\n\t\treturn\n\t}\n}',
    "json": '{\n  "a": [1, 2, {"b": null}],\n  "c": "d\\"e"\n}',
    "html": '<div class="a">\n  <p>x &amp; y</p>\n  <!-- c -->\n</div>',
    "css": "a:hover > b {\n  color: #fff;\n  margin: 0 1px;\n}",
    "sql": "SELECT a, 'b''c'\n  FROM t -- all\n WHERE x <> \"y\";",
    "yaml": "a:\n  - b: 1\n    c: |\n      text\n  - d",
    "markdown": "# Title\n\n- one\n- two\n\n1. first\n\n> quoted **bold** `code`",
    "tab": "a\tb",
    "leading tab": "\tindented\n\t\ttwice",
    "open brackets": "((([[[{{{",
    "closed brackets": ")))]]]}}}",
    "brackets": "a(b[c{d}e]f)g",
    "double quotes": 'say "yes" and "no',
    "single quotes": "it's 'so' 'open",
    "backticks": "`a` ``b`` ```c",
    "typographic": "wait... (c) -- 1/2 -> <= \"quoted\" 'quoted'",
    "emoji": "😀 🎉 ok",
    "joined emoji": "👩‍👩‍👧‍👦 👍🏽 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "hebrew": "שלום עולם",
    "arabic": "مرحبا بالعالم (123) نص",
    "mixed directions": "abc אבג 123 דהו def\nשורה 2 (two)",
    "chinese": "你好，世界。\n第二行：测试",
    "japanese": "こんにちは「世界」",
    "korean": "안녕하세요 세계",
    "combining": "e\u0301 a\u0308 n\u0303 ช้าง ก็ क्षि",
    "accents": "àéîõü ßøþ łžš ĳ",
    "symbols": "€ £ ¥ § ± × ÷ ≠ ∞ ∑ → ™ x",
    "10,000 characters": (_LINE * 150)[:10_000].rstrip(),
}
"""Forty texts, by what is special about them."""


def page_of(name: str) -> str:
    """The HTML of an editor's page."""
    return _HEAD + PAGES[name]


class EditorServer:
    """Serves the pages, under their names, and the files of the packages, on loopback. `pages`: more of them."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        pages = self.pages

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                path = unquote(urlsplit(self.path).path).removeprefix("/")
                found = (pages[path].encode(), "text/html; charset=utf-8") if path in pages else _answer(path)
                data, kind = found or (b"", "text/plain")
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Cache-Control", "no-store" if path in pages else "max-age=600")
                self.end_headers()
                self.wfile.write(data)

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{name}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@cache
def _answer(path: str) -> tuple[bytes, str] | None:
    if path in PAGES:
        return page_of(path).encode(), "text/html; charset=utf-8"
    file = (PACKAGES / path).resolve()
    if not file.is_relative_to(PACKAGES) or not file.is_file():
        return None
    return file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream"


def plain_breaks(text: str) -> str:
    """The text with the line breaks that fields and editors have."""
    return text.replace("\r\n", "\n")
