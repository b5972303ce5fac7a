"""Links of pages to files outside of docs/ lead to the repository on the site.

On the site there are only pages, while in the repository a page may link to any file. A link to a
file that does not exist fails the build.

Long names in tables may be broken where a word ends, which browsers know of hyphens alone.

A picture in two themes is <picture> in the repository, as GitHub knows it; on the site it follows the
reader's choice of the theme. Pages with a diagram get the script that draws it, from the site itself.
"""

import json
import os
import re
import subprocess
import tempfile

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

HERE = os.path.dirname(__file__)
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(#[^)\s]*)?(?=\))")
PICTURE = re.compile(
    r"<picture>\s*<source media=\"\(prefers-color-scheme: dark\)\" srcset=\"(?P<dark>[^\"]+)\">\s*"
    r"<img alt=\"(?P<alt>[^\"]+)\" src=\"(?P<light>[^\"]+)\">\s*</picture>"
)


def themed(match):
    """The picture as mkdocs-material shows it. On a phone a wide one scrolls, and opens by itself when it is touched."""
    both = "".join(f'[![{match["alt"]}]({match[theme]}#only-{theme})]({match[theme]})' for theme in ("light", "dark"))
    return f'<figure class="picture" markdown="span">{both}</figure>'


def on_page_markdown(markdown, page, config, files):
    """mkdocs calls this for every page before it becomes HTML."""
    if found := DIAGRAM.findall(markdown):
        drawn[page.file.src_path] = found
    markdown = PICTURE.sub(themed, markdown)
    if "<picture" in markdown:
        raise PluginError(f"{page.file.src_path} has a <picture> in another form than the others")
    docs = config["docs_dir"]
    root = os.path.dirname(config["config_file_path"])
    folder = os.path.dirname(page.file.abs_src_path)

    def replace(match):
        path, anchor = match.group(1), match.group(2) or ""
        target = os.path.normpath(os.path.join(folder, path))
        if not os.path.exists(target):
            raise PluginError(f"{page.file.src_path} links to {path}, which does not exist")
        outside = os.path.relpath(target, docs).startswith("..")
        if not outside and (target.endswith(".md") or os.path.isfile(target)):
            return match.group(0)
        kind = "tree" if os.path.isdir(target) else "blob"
        return f"{config['repo_url']}/{kind}/main/{os.path.relpath(target, root)}{anchor}"

    # What is shown as code is no link.
    parts = re.split(r"(^```.*?^```|`[^`\n]*`)", markdown, flags=re.M | re.S)
    return "".join(part if i % 2 else LINK.sub(replace, part) for i, part in enumerate(parts))


DIAGRAMS = "assets/javascripts/mermaid.min.js"
DIAGRAM = re.compile(r"^```mermaid\n(.*?)^```$", flags=re.M | re.S)
# The diagrams of this build, by their pages.
drawn = {}
DRAWING = re.compile(r'<pre class="mermaid">.*?</pre>', flags=re.S)


def on_files(files, config):
    """mkdocs calls this when it knows all files of the site."""
    drawn.clear()
    files.append(File.generated(config, DIAGRAMS, abs_src_path=script()))
    return files


def script():
    """The path of the script that draws diagrams. It is fetched where it is not there yet."""
    return subprocess.run([os.path.join(HERE, "mermaid.sh")], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def on_post_build(config):
    """mkdocs calls this when all pages are written."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(drawn, file)
        file.flush()
        check = subprocess.run(["node", os.path.join(HERE, "diagrams.js"), script(), file.name], stderr=subprocess.PIPE, text=True)
    if check.returncode != 0:
        raise PluginError(check.stderr)


CELL = re.compile(r"<t[dh]\b.*?</t[dh]>", flags=re.S)
TEXT = re.compile(r"(?<=>)[^<>]+(?=<)")
WORD = re.compile(r"(?<!\S)(?:-\S+|\S{12,})")


def breakable(match):
    """A long name such as AWS_REGION or --cluster-name may be broken, but not behind its first hyphens."""
    word = re.sub(r"([_/=,|:])(?=\w)", r"\1<wbr>", match.group(0))
    if len(match.group(0)) > 18:
        word = re.sub(r"\.(?=\w)|[a-z](?=[A-Z])", r"\g<0><wbr>", word)
    return re.sub(r"^-+\w+", r'<span class="whole">\g<0></span>', word)


def on_page_content(html, page, config, files):
    """mkdocs calls this for every page when it is HTML."""
    html, drawings = DRAWING.subn(r'<div class="diagram">\g<0></div>', html)
    if drawings:
        html += f'<script src="{get_relative_url(DIAGRAMS, page.url)}"></script>'
    return CELL.sub(lambda cell: TEXT.sub(lambda text: WORD.sub(breakable, text.group(0)), cell.group(0)), html)
