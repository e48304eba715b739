import { areaTokens, readDataAddress } from "../images.ts"
import { arrayOf, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import {
  lastUserText,
  type ResponseShape,
  type OfferedTool,
  type Prompt,
  type PromptMessage,
  type ToolChoice,
} from "../prompt.ts"
import { countTokens } from "../tokens.ts"

const THINKING_TOKENS = 32
const BUDGET_PER_TOKEN = 32
const MAX_THINKING_TOKENS = 256
const LOW_DETAIL_TOKENS = 256

/** The result of one tool call. */
export interface ToolOutput {
  readonly callId: string
  readonly text: string
}

/** Reads a checked request into the simulator's own terms (docs/contribute/wire/cohere-chat.md#f1). */
export function readPrompt(body: JsonObject): Prompt {
  const messages = arrayOf(body.messages).map((message) => readMessage(objectOf(message)))
  const tools = readTools(body)
  const { max_tokens: limit } = body
  return {
    messages,
    echo: lastUserText(messages),
    tools,
    toolTokens: tools.length === 0 ? 0 : countTokens(JSON.stringify(body.tools)),
    toolChoice: readToolChoice(body.tool_choice),
    parallelTools: true,
    shape: readShape(objectOf(body.response_format)),
    limit: typeof limit === "number" ? limit : Number.POSITIVE_INFINITY,
    stop: arrayOf(body.stop_sequences).map((sequence) => stringOf(sequence)),
    count: 1,
    reasoningTokens: readThinking(objectOf(body.thinking)),
  }
}

/** Returns the tool results at the end of the conversation. The response cites them. */
export function readToolOutputs(body: JsonObject): ToolOutput[] {
  const messages = arrayOf(body.messages).map((message) => objectOf(message))
  const from = messages.findLastIndex((message) => message.role !== "tool") + 1
  return messages.slice(from).map((message) => ({
    callId: stringOf(message.tool_call_id),
    text: readMessage(message).text,
  }))
}

function readMessage(message: JsonObject): PromptMessage {
  const { content, tool_calls: calls, tool_plan: plan } = message
  const parts =
    typeof content === "string"
      ? [{ text: content, tokens: countTokens(content), isMedia: false }]
      : arrayOf(content).map((part) => readPart(objectOf(part)))
  let textTokens = countTokens(stringOf(plan))
  if (calls !== undefined) textTokens += countTokens(JSON.stringify(calls))
  let mediaTokens = 0
  for (const part of parts) {
    if (part.isMedia) mediaTokens += part.tokens
    else textTokens += part.tokens
  }
  const said = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const role = stringOf(message.role) as PromptMessage["role"]
  return { role, text: said.join("\n"), textTokens, mediaTokens, audioTokens: 0 }
}

interface Part {
  /** The text; undefined for other content, such as thinking. */
  readonly text: string | undefined
  readonly tokens: number
  readonly isMedia: boolean
}

function readPart(part: JsonObject): Part {
  switch (part.type) {
    case "image_url":
      return readImage(objectOf(part.image_url))
    case "thinking":
      return { text: undefined, tokens: countTokens(stringOf(part.thinking)), isMedia: false }
    case "document": {
      const text = JSON.stringify(objectOf(part.document).data)
      return { text, tokens: countTokens(text), isMedia: false }
    }
    default: {
      const text = stringOf(part.text)
      return { text, tokens: countTokens(text), isMedia: false }
    }
  }
}

function readImage(image: JsonObject): Part {
  const address = stringOf(image.url)
  const facts = readDataAddress(address)
  const tokens = image.detail === "low" ? LOW_DETAIL_TOKENS : areaTokens(facts)
  if (facts !== undefined) {
    const text = `[image ${facts.width}x${facts.height} ${facts.kind}]`
    return { text, tokens, isMedia: true }
  }
  const text = address.startsWith("data:") ? "[image]" : "[image url]"
  return { text, tokens, isMedia: true }
}

function readTools(body: JsonObject): OfferedTool[] {
  return arrayOf(body.tools).map((tool) => {
    const { name, parameters } = objectOf(objectOf(tool).function)
    return { name: stringOf(name), schema: objectOf(parameters) }
  })
}

function readToolChoice(choice: Json | undefined): ToolChoice {
  if (choice === "REQUIRED") return { kind: "required" }
  return { kind: choice === "NONE" ? "none" : "auto" }
}

function readShape({ type, json_schema: schema }: JsonObject): ResponseShape {
  if (type !== "json_object") return { kind: "text" }
  return schema === undefined ? { kind: "object" } : { kind: "schema", schema: objectOf(schema) }
}

/** Returns the number of thinking tokens. A model thinks only on request, and a token budget limits the tokens. */
function readThinking({ type, token_budget: budget }: JsonObject): number {
  if (type !== "enabled") return 0
  if (typeof budget !== "number") return THINKING_TOKENS
  return Math.max(1, Math.min(Math.floor(budget / BUDGET_PER_TOKEN), MAX_THINKING_TOKENS))
}
