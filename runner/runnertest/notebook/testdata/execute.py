"""Executes notebooks one after the other in one kernel, as papermill does: execute.py JOBS RESULTS.

A job is {"code": text}, or {"notebook": path} with or without {"parameters": {name: value}}, which stand in a
cell behind the one that is tagged parameters. A result is {"error": "" or "Name: text", "cell", "text"}."""
import asyncio
import json
import sys

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def prepared(job):
    if "code" in job:
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(job["code"])])
    book = nbformat.read(job["notebook"], as_version=4)
    nbformat.validate(book)
    at = next(i for i, c in enumerate(book.cells) if "parameters" in c.metadata.get("tags", []))
    lines = ["%s = %r" % one for one in job.get("parameters", {}).items()]
    book.cells.insert(at + 1, nbformat.v4.new_code_cell("\n".join(lines)))
    return book


kernel = AsyncKernelManager(kernel_name="python3")
results = []
with open(sys.argv[1], encoding="utf-8") as jobs:
    for job in json.load(jobs):
        book, result = prepared(job), {"error": "", "cell": ""}
        try:
            NotebookClient(book, km=kernel, timeout=600).execute()
        except CellExecutionError as e:
            result["error"], result["traceback"] = "%s: %s" % (e.ename, e.evalue), str(e)
        for cell in book.cells:
            for out in cell.get("outputs", []):
                if out.output_type == "error":
                    result["cell"] = cell.id
        result["text"] = "".join(out.get("text", "") for c in book.cells for out in c.get("outputs", []) if out.output_type == "stream")
        results.append(result)
asyncio.run(kernel.shutdown_kernel(now=True))
with open(sys.argv[2], "w", encoding="utf-8") as out:
    json.dump(results, out)
