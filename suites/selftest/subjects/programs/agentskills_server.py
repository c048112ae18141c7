"""Serves two skills of a temporary folder with agentskills-mcp-server."""

import asyncio
import pathlib
import tempfile

if not hasattr(pathlib.Path, "is_junction"):  # Python 3.11
    pathlib.Path.is_junction = lambda _: False

from agentskills_core import Skill
from agentskills_fs import LocalFileSystemSkillProvider
from agentskills_mcp_server import create_mcp_server

files = {
    "git-workflow/SKILL.md": b"---\nname: git-workflow\ndescription: Conventions for branches.\n"
    b'license: MIT\nmetadata:\n  version: "1.10"\n---\n\nSee references/naming.md.\n',
    "git-workflow/references/naming.md": b"Names are short.\n",
    "git-workflow/assets/data.bin": bytes(range(256)),
    "refunds/SKILL.md": "---\r\nname: refunds\r\ndescription: Für alle 🙂.\r\n---\r\n\r\nAsk first.\r\n".encode(),
}

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    provider = LocalFileSystemSkillProvider(root)
    skills = [Skill("git-workflow", provider), Skill("refunds", provider)]
    server = asyncio.run(create_mcp_server(skills))
    server.run()
