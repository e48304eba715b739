import { readBase64, type ImageFacts } from "../images.ts"
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

const LEVEL_TOKENS: Record<string, number> = { MINIMAL: 2, LOW: 8, MEDIUM: 32, HIGH: 128 }
const USUAL_THINKING_TOKENS = 32
const BUDGET_PER_TOKEN = 32
const MAX_THINKING_TOKENS = 256

const TILE_TOKENS = 258
const SMALL_SIDE = 384
const TILE_SIDE = 768
// Length of base64 per audio token. 16-bit sound at 16 kHz has 32,000 bytes per second, for which Gemini counts 32
// tokens.
const BASE64_PER_AUDIO_TOKEN = 1333

/** Reads a checked request into the simulator's own terms (docs/contribute/wire/gemini.md#f2). */
export function readPrompt(body: JsonObject): Prompt {
  const config = objectOf(body.generationConfig)
  const messages = [
    ...readSystem(body.systemInstruction),
    ...arrayOf(body.contents).flatMap((content) => readContent(objectOf(content))),
  ]
  const calling = objectOf(objectOf(body.toolConfig).functionCallingConfig)
  const tools = readTools(body, calling)
  const { maxOutputTokens: limit, candidateCount: count } = config
  return {
    messages,
    echo: lastUserText(messages),
    tools,
    toolTokens: tools.length === 0 ? 0 : countTokens(JSON.stringify(body.tools)),
    toolChoice: readToolChoice(calling),
    parallelTools: true,
    shape: readShape(config),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : Number(limit),
    stop: arrayOf(config.stopSequences).map((sequence) => stringOf(sequence)),
    count: count === undefined ? 1 : Number(count),
    reasoningTokens: readThinking(objectOf(config.thinkingConfig)),
  }
}

/** Whether the caller asks for the model's thoughts. */
export function wantsThoughts(body: JsonObject): boolean {
  return objectOf(objectOf(body.generationConfig).thinkingConfig).includeThoughts === true
}

function readSystem(instruction: Json | undefined): PromptMessage[] {
  if (instruction === undefined) return []
  return [messageOf("system", arrayOf(objectOf(instruction).parts).map(readPart))]
}

/** Reads a content as one message. Each tool result in the content becomes a separate message. */
function readContent(content: JsonObject): PromptMessage[] {
  const parts = arrayOf(content.parts).map((part) => objectOf(part))
  const responses = parts.filter((part) => part.functionResponse !== undefined)
  const rest = parts.filter((part) => part.functionResponse === undefined).map(readPart)
  if (responses.length === 0)
    return [messageOf(content.role === "model" ? "assistant" : "user", rest)]
  const [first = [], ...others] = responses.map((part) =>
    readResponse(objectOf(part.functionResponse)),
  )
  return [[...first, ...rest], ...others].map((answer) => messageOf("tool", answer))
}

interface Part {
  /** The text; undefined for other content, such as calls and thoughts. */
  readonly text: string | undefined
  readonly kind: "text" | "media" | "audio"
  readonly tokens: number
}

function messageOf(role: PromptMessage["role"], parts: readonly Part[]): PromptMessage {
  const sum = (kind: Part["kind"]) =>
    parts.reduce((total, part) => total + (part.kind === kind ? part.tokens : 0), 0)
  const said = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
  return {
    role,
    text: said.join("\n"),
    textTokens: sum("text"),
    mediaTokens: sum("media"),
    audioTokens: sum("audio"),
  }
}

function textPart(text: string, isSaid = true): Part {
  return { text: isSaid ? text : undefined, kind: "text", tokens: countTokens(text) }
}

function readPart(value: Json): Part {
  const part = objectOf(value)
  if (part.inlineData !== undefined) return readBlob(objectOf(part.inlineData))
  if (part.fileData !== undefined) {
    const isImage = stringOf(objectOf(part.fileData).mimeType).startsWith("image/")
    return { text: isImage ? "[image url]" : "[file url]", kind: "media", tokens: TILE_TOKENS }
  }
  if (typeof part.text === "string") return textPart(part.text, part.thought !== true)
  const { thoughtSignature: _, ...shown } = part
  return textPart(JSON.stringify(shown), false)
}

function readBlob(blob: JsonObject): Part {
  const mimeType = stringOf(blob.mimeType)
  const data = stringOf(blob.data)
  if (mimeType.startsWith("audio/")) {
    const tokens = 1 + Math.floor(data.length / BASE64_PER_AUDIO_TOKEN)
    return { text: "[audio]", kind: "audio", tokens }
  }
  if (mimeType.startsWith("text/")) return textPart(Buffer.from(data, "base64").toString())
  const facts = readBase64(data)
  if (facts === undefined) return { text: "[file]", kind: "media", tokens: TILE_TOKENS }
  const text = `[image ${facts.width}x${facts.height} ${facts.kind}]`
  return { text, kind: "media", tokens: tileTokens(facts) }
}

/**
 * Returns the tokens of an image by Google's rule: 258 for a small image, and 258 for each tile of 768 pixels of a
 * large image.
 */
function tileTokens({ width, height }: ImageFacts): number {
  if (width <= SMALL_SIDE && height <= SMALL_SIDE) return TILE_TOKENS
  return TILE_TOKENS * Math.ceil(width / TILE_SIDE) * Math.ceil(height / TILE_SIDE)
}

/** Reads a tool's result, which is an object. If the object contains only one text, that text is the result. */
function readResponse(answer: JsonObject): Part[] {
  const response = objectOf(answer.response)
  const members = Object.values(response)
  const [only] = members
  const text = members.length === 1 && typeof only === "string" ? only : JSON.stringify(response)
  return [textPart(text), ...arrayOf(answer.parts).map(readPart)]
}

function readTools(body: JsonObject, calling: JsonObject): OfferedTool[] {
  const declared = arrayOf(body.tools).flatMap((tool) =>
    arrayOf(objectOf(tool).functionDeclarations).map((value) => objectOf(value)),
  )
  const allowed = arrayOf(calling.allowedFunctionNames)
  return declared
    .filter(({ name }) => allowed.length === 0 || allowed.includes(stringOf(name)))
    .map(({ name, parameters, parametersJsonSchema: schema }) => ({
      name: stringOf(name),
      schema: schema === undefined ? asJsonSchema(objectOf(parameters)) : objectOf(schema),
    }))
}

function readToolChoice({ mode, allowedFunctionNames }: JsonObject): ToolChoice {
  if (mode === "NONE") return { kind: "none" }
  if (mode !== "ANY") return { kind: "auto" }
  const [only, ...others] = arrayOf(allowedFunctionNames)
  return only !== undefined && others.length === 0
    ? { kind: "named", name: stringOf(only) }
    : { kind: "required" }
}

function readShape(config: JsonObject): ResponseShape {
  const { responseMimeType: type, responseSchema, responseJsonSchema } = config
  if (type !== "application/json") return { kind: "text" }
  if (responseJsonSchema !== undefined) {
    return { kind: "schema", schema: asJsonSchema(objectOf(responseJsonSchema)) }
  }
  return responseSchema === undefined
    ? { kind: "object" }
    : { kind: "schema", schema: asJsonSchema(objectOf(responseSchema)) }
}

/** Converts one of Google's schemas to a JSON schema, with types in lowercase and lengths as numbers. */
function asJsonSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, asJsonMember(key, value ?? null)]),
  )
}

function asJsonMember(key: string, value: Json): Json {
  switch (key) {
    case "type":
      return typeof value === "string" ? value.toLowerCase() : value
    case "items":
      return asJsonSchema(objectOf(value))
    case "anyOf":
      return arrayOf(value).map((variant) => asJsonSchema(objectOf(variant)))
    case "properties":
      return Object.fromEntries(
        Object.entries(objectOf(value)).map(([name, inner]) => [
          name,
          asJsonSchema(objectOf(inner)),
        ]),
      )
    default:
      return typeof value === "string" && /^(min|max)(Items|Length|Properties)$/.test(key)
        ? Number(value)
        : value
  }
}

/** Returns the number of thinking tokens. A model thinks only on request, and a token budget limits the tokens. */
function readThinking(config: JsonObject): number {
  const { includeThoughts, thinkingBudget: budget, thinkingLevel: level } = config
  if (typeof level === "string") return LEVEL_TOKENS[level] ?? USUAL_THINKING_TOKENS
  if (budget === undefined) return includeThoughts === true ? USUAL_THINKING_TOKENS : 0
  if (Number(budget) === -1) return USUAL_THINKING_TOKENS
  return Math.min(Math.floor(Number(budget) / BUDGET_PER_TOKEN), MAX_THINKING_TOKENS)
}
