"""Requests a chat, a stream, a tool call and embeddings. Any model works, because the gateway translates."""

import os

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

connection = {
    "base_url": os.environ.get("TOLLGATE_URL", "http://127.0.0.1:8787") + "/v1",
    "api_key": os.environ["TOLLGATE_KEY"],
}
model = ChatOpenAI(model="anthropic/claude-sonnet-5", **connection)

print("chat:", model.invoke("Say hello in one word.").text)

print("stream: ", end="")
for chunk in model.stream("Count to three."):
    print(chunk.text, end="", flush=True)
print()


@tool
def weather(city: str) -> str:
    """Returns the weather of a city."""
    return f"Sunny in {city}"


messages = [HumanMessage("Call the tool weather for Rome.")]
answer = model.bind_tools([weather]).invoke(messages)
messages.append(answer)
for call in answer.tool_calls:
    messages.append(ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]))
print("tool:", model.bind_tools([weather]).invoke(messages).text)

# The gateway counts tokens, so LangChain does not have to split texts with OpenAI's tokenizer.
embeddings = OpenAIEmbeddings(
    model="openai/text-embedding-3-small", check_embedding_ctx_length=False, **connection
)
print("embeddings:", [len(vector) for vector in embeddings.embed_documents(["one", "two"])])
