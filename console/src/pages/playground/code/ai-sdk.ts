import type { JsonObject, JsonValue } from "../conversation.ts"
import { chatFacts, type ChatMessage } from "./chat-facts.ts"
import { JAVASCRIPT_STYLE, literal } from "./literal.ts"
import { KEY_VARIABLE } from "./key-variable.ts"

/** Returns TypeScript code that sends the request with the AI SDK. */
export function aiSdkCode(base: string, body: JsonObject): string {
  const facts = chatFacts(body)
  const named: [string, JsonValue][] = []
  if (facts.system !== "") named.push(["system", facts.system])
  named.push(["messages", facts.messages.map(messageOf)])
  if (facts.temperature !== undefined) named.push(["temperature", facts.temperature])
  if (facts.topP !== undefined) named.push(["topP", facts.topP])
  if (facts.maxTokens !== undefined) named.push(["maxOutputTokens", facts.maxTokens])
  if (facts.stop.length > 0) named.push(["stopSequences", facts.stop])
  if (facts.effort !== undefined) {
    named.push(["providerOptions", { openai: { reasoningEffort: facts.effort } }])
  }
  const lines = named.map(
    ([name, value]) => `  ${name}: ${literal(value, JAVASCRIPT_STYLE, "  ")},`,
  )
  const left = facts.others.map((name) => `// '${name}' has a different form in this client.\n`)
  return `import { createOpenAI } from "@ai-sdk/openai"
import { streamText } from "ai"

const tollgate = createOpenAI({
  baseURL: "${base}/v1",
  apiKey: process.env.${KEY_VARIABLE},
})

${left.join("")}const { textStream } = streamText({
  model: tollgate.chat(${JSON.stringify(facts.model)}),
${lines.join("\n")}
})
for await (const text of textStream) process.stdout.write(text)
`
}

function messageOf({ role, parts }: ChatMessage): JsonObject {
  const [first] = parts
  if (parts.length === 1 && first !== undefined && "text" in first) {
    return { role, content: first.text }
  }
  const content = parts.map((part) => {
    if ("text" in part) return { type: "text", text: part.text }
    const [, mediaType = "image"] = /^data:([^;,]+)/.exec(part.image) ?? []
    return { type: "file", mediaType, data: part.image }
  })
  return { role, content }
}
