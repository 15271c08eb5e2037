"""Reads a document and measures it: `read.py SECONDS run PROGRAM ARGUMENT...` starts a program,
`read.py SECONDS LIBRARY FILE` reads with a library of Python's.

The text goes to stdout. The last line of stderr has the time in seconds and the peak of memory in
bytes. The start of Python and of its libraries is not in the time, but in the memory.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time


def pdfium():
    import pypdfium2

    def read(path):
        pages = pypdfium2.PdfDocument(path)
        return "\f".join(page.get_textpage().get_text_range() for page in pages)

    return read


def pymupdf():
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    return lambda path: "\f".join(page.get_text() for page in pymupdf.open(path))


def pymupdf4llm():
    import pymupdf
    import pymupdf4llm

    pymupdf.TOOLS.mupdf_display_errors(False)
    return lambda path: pymupdf4llm.to_markdown(path, show_progress=False)


def markitdown():
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: converter.convert(path).text_content


LIBRARIES = {
    "pdfium": pdfium,
    "pymupdf": pymupdf,
    "pymupdf4llm": pymupdf4llm,
    "markitdown": markitdown,
}


def read_with_library(library, path):
    # What libraries print about themselves is no text of the document.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)
    read = LIBRARIES[library]()
    start = time.perf_counter()
    text = read(path)
    seconds = time.perf_counter() - start
    out.write(text)
    out.close()
    return seconds, resource.getrusage(resource.RUSAGE_SELF)


def read_with_program(command):
    start = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGALRM, lambda *_: child.kill())
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    return seconds, usage


def main():
    limit, how, *rest = sys.argv[1:]
    signal.alarm(int(limit))
    if how == "run":
        seconds, usage = read_with_program(rest)
    else:
        seconds, usage = read_with_library(how, rest[0])
    figures = {"seconds": seconds, "peak": usage.ru_maxrss * 1024}
    print("\n" + json.dumps(figures), file=sys.stderr)


main()
