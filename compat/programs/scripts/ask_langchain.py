"""Asks with LangChain: streamed, and with a tool of its own where a file is to be edited."""
import pathlib
import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

url, prompt, editing = sys.argv[1], sys.argv[2], "edit" in sys.argv[3:]


@tool
def replace(path: str, old: str, new: str) -> str:
    """Replaces a text in a file."""
    file = pathlib.Path(path)
    file.write_text(file.read_text().replace(old, new))
    return "done"


model = ChatOpenAI(base_url=url, api_key="unused", model="svc-code", max_retries=0)
if editing:
    model = model.bind_tools([replace])
messages = [HumanMessage(prompt)]
while True:
    reply = None
    for chunk in model.stream(messages):
        print(chunk.text, end="", flush=True)
        reply = chunk if reply is None else reply + chunk
    if not reply.tool_calls:
        break
    messages.append(reply)
    for call in reply.tool_calls:
        messages.append(ToolMessage(replace.invoke(call["args"]), tool_call_id=call["id"]))
