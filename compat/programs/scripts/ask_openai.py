"""Asks with the official Python library: streamed, and with a tool of its own where a file is to be edited."""
import json
import os
import pathlib
import sys

from openai import OpenAI

url, prompt, editing = sys.argv[1], sys.argv[2], "edit" in sys.argv[3:]
TOOL = {
    "type": "function",
    "function": {
        "name": "replace",
        "description": "Replaces a text in a file",
        "parameters": {"type": "object", "properties": {name: {"type": "string"} for name in ("path", "old", "new")}, "required": ["path", "old", "new"]},
    },
}


def replace(path, old, new):
    file = pathlib.Path(path)
    file.write_text(file.read_text().replace(old, new))
    return "done"


client = OpenAI(base_url=url, api_key=os.environ.get("API_KEY", "unused"), max_retries=0)
messages = [{"role": "user", "content": prompt}]
while True:
    with client.chat.completions.stream(model="svc-code", messages=messages, **({"tools": [TOOL]} if editing else {})) as stream:
        for event in stream:
            if event.type == "content.delta":
                print(event.delta, end="", flush=True)
        message = stream.get_final_completion().choices[0].message
    if not message.tool_calls:
        break
    messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
    for call in message.tool_calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": replace(**json.loads(call.function.arguments))})
