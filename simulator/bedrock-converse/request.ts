import { readThinking } from "../claude-thinking.ts"
import { areaTokens, describeImage, readBase64 } from "../images.ts"
import {
  arrayOf,
  isObject,
  objectOf,
  parseObject,
  stringOf,
  type Json,
  type JsonObject,
} from "../json.ts"
import type { CacheBlock, CacheLifetime } from "../marked-cache.ts"
import { PromptBuilder, type ReadBlock } from "../prompt-builder.ts"
import { lastUserText, type ResponseShape, type Prompt, type ToolChoice } from "../prompt.ts"
import { countTokens } from "../tokens.ts"
import { thinkingConfig } from "./thinking-config.ts"

/** A request in the simulator's own terms, with additional fields of Bedrock's format. */
export interface ConverseRequest {
  readonly prompt: Prompt
  /** The prompt's blocks in the order in which they are cached: tools, system, messages. */
  readonly blocks: readonly CacheBlock[]
}

const DOCUMENT_TOKENS = 1500

/** Reads a checked request (docs/contribute/wire/bedrock-converse.md#f2). */
export function readRequest(body: JsonObject): ConverseRequest {
  const builder = new PromptBuilder()
  const { tools, toolChoice } = objectOf(body.toolConfig)
  const offered = arrayOf(tools).map((tool) => objectOf(tool))
  for (const tool of offered) {
    if (isObject(tool.cachePoint)) builder.markLast(lifetimeOf(tool.cachePoint))
    else builder.tool(JSON.stringify(tool))
  }
  addMessage(builder, "system", body.system)
  for (const message of arrayOf(body.messages)) {
    const { role, content } = objectOf(message)
    addMessage(builder, role === "assistant" ? "assistant" : "user", content)
  }
  const inference = objectOf(body.inferenceConfig)
  const output = objectOf(objectOf(body.additionalModelRequestFields).output_config)
  const prompt: Prompt = {
    messages: builder.messages,
    echo: lastUserText(builder.messages),
    tools: offered
      .map((tool) => objectOf(tool.toolSpec))
      .filter((tool) => tool.name !== undefined)
      .map(({ name, inputSchema }) => ({
        name: stringOf(name),
        schema: objectOf(objectOf(inputSchema).json),
      })),
    toolTokens: builder.toolTokens,
    toolChoice: readToolChoice(objectOf(toolChoice)),
    parallelTools: true,
    shape: readShape(body),
    limit: typeof inference.maxTokens === "number" ? inference.maxTokens : Number.POSITIVE_INFINITY,
    stop: arrayOf(inference.stopSequences).map((sequence) => stringOf(sequence)),
    count: 1,
    reasoningTokens: readThinking(thinkingConfig(body), stringOf(output.effort)).tokens,
  }
  return { prompt, blocks: builder.blocks }
}

/** Adds a message. Each tool result becomes a separate message before the user's other content. */
function addMessage(
  builder: PromptBuilder,
  role: "system" | "user" | "assistant",
  content: Json | undefined,
): void {
  const rest: ReadBlock[] = []
  for (const entry of arrayOf(content)) {
    const block = objectOf(entry)
    const last = rest.at(-1)
    if (isObject(block.toolResult)) builder.message("tool", [readBlock(block)])
    else if (!isObject(block.cachePoint)) rest.push(readBlock(block))
    else if (last === undefined) builder.markLast(lifetimeOf(block.cachePoint))
    else rest[rest.length - 1] = { ...last, marker: lifetimeOf(block.cachePoint) }
  }
  builder.message(role, rest)
}

function lifetimeOf(point: JsonObject): CacheLifetime {
  return point.ttl === "1h" ? "1h" : "5m"
}

function readBlock(block: JsonObject): ReadBlock {
  return { source: JSON.stringify(block), ...readContent(block) }
}

function readContent(block: JsonObject): Pick<ReadBlock, "text" | "textTokens" | "mediaTokens"> {
  const { text, json, image, document, toolResult, toolUse, reasoningContent } = block
  if (typeof text === "string") return readText(text)
  if (json !== undefined) return readText(JSON.stringify(json))
  if (isObject(image)) return readImage(image)
  if (isObject(document)) return readDocument(objectOf(document.source))
  if (isObject(toolResult)) return readResult(toolResult)
  const { text: thought } = objectOf(objectOf(reasoningContent).reasoningText)
  const { name, input } = objectOf(toolUse)
  const untold = isObject(toolUse)
    ? `${stringOf(name)} ${JSON.stringify(input)}`
    : stringOf(thought)
  return { textTokens: countTokens(untold), mediaTokens: 0 }
}

function readText(text: string) {
  return { text, textTokens: countTokens(text), mediaTokens: 0 }
}

function readImage(image: JsonObject) {
  const facts = readBase64(stringOf(objectOf(image.source).bytes))
  return { text: describeImage(facts), textTokens: 0, mediaTokens: areaTokens(facts) }
}

function readDocument({ text }: JsonObject) {
  const mediaTokens = typeof text === "string" ? countTokens(text) : DOCUMENT_TOKENS
  return { text: "[file]", textTokens: 0, mediaTokens }
}

function readResult(result: JsonObject) {
  const parts = arrayOf(result.content).map((part) => readContent(objectOf(part)))
  const sum = (key: "textTokens" | "mediaTokens") =>
    parts.reduce((total, part) => total + part[key], 0)
  const text = parts.map((part) => part.text ?? "").join("\n")
  return { text, textTokens: sum("textTokens"), mediaTokens: sum("mediaTokens") }
}

function readToolChoice(choice: JsonObject): ToolChoice {
  if (choice.any !== undefined) return { kind: "required" }
  if (choice.tool === undefined) return { kind: "auto" }
  return { kind: "named", name: stringOf(objectOf(choice.tool).name) }
}

/** Reads the required form of the response. In this format, a schema is JSON text. */
function readShape(body: JsonObject): ResponseShape {
  const { structure } = objectOf(objectOf(body.outputConfig).textFormat)
  const { schema } = objectOf(objectOf(structure).jsonSchema)
  return typeof schema === "string"
    ? { kind: "schema", schema: parseObject(schema) }
    : { kind: "text" }
}
