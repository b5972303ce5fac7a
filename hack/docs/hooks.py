"""Links of pages to files outside of docs/ lead to the repository on the site.

On the site there are only pages, while in the repository a page may link to any file. A link to a
file that does not exist fails the build.

Long names in tables may be broken where a word ends, which browsers know of hyphens alone.
"""

import os
import re

from mkdocs.exceptions import PluginError

LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(#[^)\s]*)?(?=\))")


def on_page_markdown(markdown, page, config, files):
    """mkdocs calls this for every page before it becomes HTML."""
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
    return CELL.sub(lambda cell: TEXT.sub(lambda text: WORD.sub(breakable, text.group(0)), cell.group(0)), html)
