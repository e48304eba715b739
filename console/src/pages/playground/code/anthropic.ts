import type { JsonObject, JsonValue } from "../conversation.ts"
import { chatFacts, type ChatMessage } from "./chat-facts.ts"
import { literal, PYTHON_STYLE } from "./literal.ts"
import { KEY_VARIABLE } from "./key-variable.ts"

/** Used if the request does not set a maximum, because Anthropic's format requires one. */
const USUAL_MAXIMUM = 4_096

/**
 * Writes the request with Anthropic's Python client, which reaches every model through
 * `/v1/messages`.
 */
export function anthropicCode(base: string, body: JsonObject): string {
  const facts = chatFacts(body)
  const named: [string, JsonValue][] = [
    ["model", facts.model],
    ["max_tokens", facts.maxTokens ?? USUAL_MAXIMUM],
  ]
  if (facts.system !== "") named.push(["system", facts.system])
  named.push(["messages", facts.messages.map(messageOf)])
  // Anthropic's maximum temperature is 1.
  if (facts.temperature !== undefined) named.push(["temperature", Math.min(1, facts.temperature)])
  if (facts.topP !== undefined) named.push(["top_p", facts.topP])
  if (facts.stop.length > 0) named.push(["stop_sequences", facts.stop])
  if (facts.effort !== undefined) {
    named.push(["extra_body", { output_config: { effort: facts.effort } }])
  }
  const lines = named.map(([name, value]) => `    ${name}=${literal(value, PYTHON_STYLE, "    ")},`)
  const left = facts.others.map((name) => `# '${name}' has a different form in this format.\n`)
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url="${base}", api_key=os.environ["${KEY_VARIABLE}"])

${left.join("")}with client.messages.stream(
${lines.join("\n")}
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
`
}

function messageOf({ role, parts }: ChatMessage): JsonObject {
  const [first] = parts
  if (parts.length === 1 && first !== undefined && "text" in first) {
    return { role, content: first.text }
  }
  const content = parts.map((part) => {
    if ("text" in part) return { type: "text", text: part.text }
    return { type: "image", source: sourceOf(part.image) }
  })
  return { role, content }
}

function sourceOf(address: string): JsonObject {
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(address) ?? []
  if (type === undefined || data === undefined) return { type: "url", url: address }
  return { type: "base64", media_type: type, data }
}
