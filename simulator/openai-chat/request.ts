import { imageTokens, readDataAddress } from "../images.ts"
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

const REASONING_TOKENS: Record<string, number> = {
  low: 8,
  medium: 32,
  high: 128,
  xhigh: 256,
  max: 512,
}
const FILE_TOKENS = 256
// Length of base64 per audio token. 16-bit sound at 16 kHz has 32,000 bytes per second, for which OpenAI counts ten
// tokens.
const BASE64_PER_AUDIO_TOKEN = 4267

/** Reads a checked chat request into the simulator's own terms (docs/contribute/wire/openai-chat.md#f1). */
export function readPrompt(body: JsonObject): Prompt {
  const messages = arrayOf(body.messages).map((message) => readMessage(objectOf(message)))
  const tools = readTools(body)
  const limit = body.max_completion_tokens ?? body.max_tokens
  return {
    messages,
    echo: lastUserText(messages),
    tools,
    toolTokens: tools.length === 0 ? 0 : countTokens(JSON.stringify(body.tools)),
    toolChoice: readToolChoice(body.tool_choice),
    parallelTools: body.parallel_tool_calls !== false,
    shape: readShape(body.response_format),
    limit: typeof limit === "number" ? limit : Number.POSITIVE_INFINITY,
    stop: readStop(body.stop),
    count: typeof body.n === "number" ? body.n : 1,
    reasoningTokens: REASONING_TOKENS[stringOf(body.reasoning_effort)] ?? 0,
  }
}

function readMessage(message: JsonObject): PromptMessage {
  const role = readRole(stringOf(message.role))
  const { content } = message
  let extra = typeof message.name === "string" ? countTokens(message.name) : 0
  if (message.tool_calls !== undefined) extra += countTokens(JSON.stringify(message.tool_calls))
  if (typeof content === "string") {
    const textTokens = countTokens(content) + extra
    return { role, text: content, textTokens, mediaTokens: 0, audioTokens: 0 }
  }
  const parts = arrayOf(content).map((part) => readPart(objectOf(part)))
  const sum = (kind: Part["kind"]) =>
    parts.reduce((total, part) => total + (part.kind === kind ? part.tokens : 0), 0)
  return {
    role,
    text: parts.map((part) => part.text).join("\n"),
    textTokens: sum("text") + extra,
    mediaTokens: sum("media"),
    audioTokens: sum("audio"),
  }
}

function readRole(role: string): PromptMessage["role"] {
  switch (role) {
    case "user":
    case "assistant":
    case "tool":
      return role
    case "function":
      return "tool"
    default:
      return "system"
  }
}

interface Part {
  readonly text: string
  readonly kind: "text" | "media" | "audio"
  readonly tokens: number
}

function readPart(part: JsonObject): Part {
  switch (part.type) {
    case "image_url":
      return readImage(objectOf(part.image_url))
    case "input_audio":
    case "audio": {
      const data = stringOf(objectOf(part.input_audio).data)
      const tokens = 1 + Math.floor(data.length / BASE64_PER_AUDIO_TOKEN)
      return { text: "[audio]", kind: "audio", tokens }
    }
    case "file":
      return { text: "[file]", kind: "media", tokens: FILE_TOKENS }
    default: {
      const text = stringOf(part.text ?? part.refusal)
      return { text, kind: "text", tokens: countTokens(text) }
    }
  }
}

function readImage(image: JsonObject): Part {
  const address = stringOf(image.url)
  const facts = readDataAddress(address)
  const tokens = imageTokens(facts, stringOf(image.detail))
  if (facts !== undefined) {
    const text = `[image ${facts.width}x${facts.height} ${facts.kind}]`
    return { text, kind: "media", tokens }
  }
  return { text: address.startsWith("data:") ? "[image]" : "[image url]", kind: "media", tokens }
}

function readTools(body: JsonObject): OfferedTool[] {
  const tools = arrayOf(body.tools).flatMap((tool) => {
    const { name, parameters } = objectOf(objectOf(tool).function)
    // A custom tool takes text and has no schema. The simulator accepts it but never calls it.
    return name === undefined ? [] : [{ name: stringOf(name), schema: objectOf(parameters) }]
  })
  const allowed = objectOf(objectOf(body.tool_choice).allowed_tools)
  if (allowed.tools === undefined) return tools
  const names = arrayOf(allowed.tools).map((tool) => objectOf(objectOf(tool).function).name)
  return tools.filter((tool) => names.includes(tool.name))
}

function readToolChoice(choice: Json | undefined): ToolChoice {
  if (choice === "none" || choice === "required") return { kind: choice }
  const { function: named, allowed_tools: allowed } = objectOf(choice)
  if (named !== undefined) return { kind: "named", name: stringOf(objectOf(named).name) }
  return { kind: objectOf(allowed).mode === "required" ? "required" : "auto" }
}

function readShape(format: Json | undefined): ResponseShape {
  const { type, json_schema: wrapped } = objectOf(format)
  if (type === "json_schema") {
    return { kind: "schema", schema: objectOf(objectOf(wrapped).schema) }
  }
  return { kind: type === "json_object" ? "object" : "text" }
}

function readStop(stop: Json | undefined): string[] {
  return typeof stop === "string" ? [stop] : arrayOf(stop).map((sequence) => stringOf(sequence))
}
