import type { JsonObject } from "../conversation.ts"
import { chatFacts, type ChatFacts, type ChatMessage } from "./chat-facts.ts"
import { JAVASCRIPT_STYLE, literal } from "./literal.ts"
import { KEY_VARIABLE } from "./key-variable.ts"

/**
 * Writes the request with Google's JavaScript client, which reaches every model through
 * `generateContent`.
 */
export function googleCode(base: string, body: JsonObject): string {
  const facts = chatFacts(body)
  const config = configOf(facts)
  const order: JsonObject = {
    model: facts.model,
    contents: facts.messages.map(contentOf),
    ...(Object.keys(config).length > 0 && { config }),
  }
  const left = facts.others.map((name) => `// '${name}' has a different form in this format.\n`)
  return `import { GoogleGenAI } from "@google/genai"

const client = new GoogleGenAI({
  apiKey: process.env.${KEY_VARIABLE},
  httpOptions: { baseUrl: "${base}" },
})

${left.join("")}const stream = await client.models.generateContentStream(${literal(order, JAVASCRIPT_STYLE)})
for await (const piece of stream) process.stdout.write(piece.text ?? "")
`
}

function configOf(facts: ChatFacts): JsonObject {
  const { system, temperature, topP, maxTokens, stop, effort } = facts
  return {
    ...(system !== "" && { systemInstruction: system }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(effort !== undefined && { thinkingConfig: { thinkingLevel: effort.toUpperCase() } }),
  }
}

function contentOf({ role, parts }: ChatMessage): JsonObject {
  return {
    role: role === "assistant" ? "model" : role,
    parts: parts.map((part) => ("text" in part ? { text: part.text } : imageOf(part.image))),
  }
}

function imageOf(address: string): JsonObject {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(address) ?? []
  if (mimeType === undefined || data === undefined) {
    return { fileData: { fileUri: address, mimeType: "image/*" } }
  }
  return { inlineData: { mimeType, data } }
}
