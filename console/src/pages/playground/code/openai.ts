import type { JsonObject, JsonValue } from "../conversation.ts"
import { JAVASCRIPT_STYLE, literal, PYTHON_STYLE } from "./literal.ts"
import { KEY_VARIABLE } from "./key-variable.ts"

/** Fields that are arguments of the Python client. Other fields are sent in `extra_body`. */
const ARGUMENTS: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "stop",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "seed",
  "n",
  "user",
  "frequency_penalty",
  "presence_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
  "verbosity",
])

/** Writes the request with OpenAI's Python client. */
export function openaiPythonCode(base: string, body: JsonObject): string {
  const known = Object.entries(body).filter(([name]) => ARGUMENTS.has(name))
  const others = Object.entries(body).filter(([name]) => !ARGUMENTS.has(name))
  const named: [string, JsonValue][] =
    others.length === 0 ? known : [...known, ["extra_body", Object.fromEntries(others)]]
  const lines = named.map(([name, value]) => `    ${name}=${literal(value, PYTHON_STYLE, "    ")},`)
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=os.environ["${KEY_VARIABLE}"])

stream = client.chat.completions.create(
${lines.join("\n")}
)
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)
`
}

/** Writes the request with OpenAI's JavaScript client. */
export function openaiJavascriptCode(base: string, body: JsonObject): string {
  return `import OpenAI from "openai"

const client = new OpenAI({
  baseURL: "${base}/v1",
  apiKey: process.env.${KEY_VARIABLE},
})

const stream = await client.chat.completions.create(${literal(body, JAVASCRIPT_STYLE)})
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? "")
}
`
}
