import { readThinking, type ThinkingOptions } from "../claude-thinking.ts"
import { areaTokens, describeImage, readBase64 } from "../images.ts"
import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import type { CacheBlock, CacheLifetime } from "../marked-cache.ts"
import { PromptBuilder, type ReadBlock } from "../prompt-builder.ts"
import { lastUserText, type ResponseShape, type Prompt, type ToolChoice } from "../prompt.ts"
import { countTokens } from "../tokens.ts"

/** A request in the simulator's own terms, with additional fields of Anthropic's format. */
export interface MessagesRequest {
  readonly prompt: Prompt
  /** The prompt's blocks in the order in which they are cached: tools, system, messages. */
  readonly blocks: readonly CacheBlock[]
  readonly thinking: ThinkingOptions
}

const DOCUMENT_TOKENS = 1500

/** Reads a checked request (docs/contribute/wire/anthropic-messages.md#f2). */
export function readRequest(body: JsonObject): MessagesRequest {
  const builder = new PromptBuilder()
  for (const tool of arrayOf(body.tools)) builder.tool(sourceOf(tool), markerOf(tool))
  builder.message("system", readContent(body.system))
  for (const message of arrayOf(body.messages)) addMessage(builder, objectOf(message))
  if (isObject(body.cache_control)) builder.markLast(lifetimeOf(body.cache_control))
  const output = objectOf(body.output_config)
  const thinking = readThinking(objectOf(body.thinking), stringOf(output.effort))
  const prompt: Prompt = {
    messages: builder.messages,
    echo: lastUserText(builder.messages),
    tools: arrayOf(body.tools)
      .map((tool) => objectOf(tool))
      .filter((tool) => isObject(tool.input_schema))
      .map((tool) => ({ name: stringOf(tool.name), schema: objectOf(tool.input_schema) })),
    toolTokens: builder.toolTokens,
    toolChoice: readToolChoice(objectOf(body.tool_choice)),
    parallelTools: objectOf(body.tool_choice).disable_parallel_tool_use !== true,
    shape: readShape(objectOf(output.format)),
    limit: typeof body.max_tokens === "number" ? body.max_tokens : Number.POSITIVE_INFINITY,
    stop: arrayOf(body.stop_sequences).map((sequence) => stringOf(sequence)),
    count: 1,
    reasoningTokens: thinking.tokens,
  }
  return { prompt, blocks: builder.blocks, thinking }
}

/** Adds a message. Each tool result becomes a separate message before the user's other content. */
function addMessage(builder: PromptBuilder, message: JsonObject): void {
  const { role, content } = message
  const rest: ReadBlock[] = []
  for (const block of readContent(content)) {
    if (block.isResult) builder.message("tool", [block])
    else rest.push(block)
  }
  builder.message(role === "assistant" || role === "system" ? role : "user", rest)
}

function readContent(content: Json | undefined): (ReadBlock & { isResult: boolean })[] {
  const blocks: readonly Json[] =
    typeof content === "string" ? [{ type: "text", text: content }] : arrayOf(content)
  return blocks.map((entry) => {
    const block = objectOf(entry)
    const read = { source: sourceOf(block), marker: markerOf(block), ...readBlock(block) }
    return { ...read, isResult: block.type === "tool_result" }
  })
}

/** Returns the block as text. The cache marker is omitted, because it is not part of the cached text. */
function sourceOf(block: Json): string {
  const { cache_control: _, ...rest } = objectOf(block)
  return JSON.stringify(rest)
}

function markerOf(block: Json): CacheLifetime | undefined {
  const marker = objectOf(block).cache_control
  return isObject(marker) ? lifetimeOf(marker) : undefined
}

function lifetimeOf(marker: JsonObject): CacheLifetime {
  return marker.ttl === "1h" ? "1h" : "5m"
}

function readBlock(block: JsonObject): Pick<ReadBlock, "text" | "textTokens" | "mediaTokens"> {
  switch (block.type) {
    case "text": {
      const text = stringOf(block.text)
      return { text, textTokens: countTokens(text), mediaTokens: 0 }
    }
    case "image":
      return readImage(objectOf(block.source))
    case "document":
      return readDocument(objectOf(block.source))
    case "tool_result": {
      const parts = readContent(block.content)
      const sum = (key: "textTokens" | "mediaTokens") =>
        parts.reduce((total, part) => total + part[key], 0)
      const text = parts.map((part) => part.text ?? "").join("\n")
      return { text, textTokens: sum("textTokens"), mediaTokens: sum("mediaTokens") }
    }
    case "thinking":
      return { textTokens: countTokens(stringOf(block.thinking)), mediaTokens: 0 }
    case "tool_use": {
      const call = `${stringOf(block.name)} ${JSON.stringify(block.input)}`
      return { textTokens: countTokens(call), mediaTokens: 0 }
    }
    default:
      return { textTokens: 0, mediaTokens: 0 }
  }
}

function readImage(source: JsonObject) {
  if (source.type !== "base64") {
    return { text: "[image url]", textTokens: 0, mediaTokens: areaTokens(undefined) }
  }
  const facts = readBase64(stringOf(source.data))
  return { text: describeImage(facts), textTokens: 0, mediaTokens: areaTokens(facts) }
}

function readDocument(source: JsonObject) {
  const mediaTokens = source.type === "text" ? countTokens(stringOf(source.data)) : DOCUMENT_TOKENS
  return { text: "[file]", textTokens: 0, mediaTokens }
}

function readToolChoice(choice: JsonObject): ToolChoice {
  switch (choice.type) {
    case "any":
      return { kind: "required" }
    case "none":
      return { kind: "none" }
    case "tool":
      return { kind: "named", name: stringOf(choice.name) }
    default:
      return { kind: "auto" }
  }
}

function readShape(format: JsonObject): ResponseShape {
  return format.type === "json_schema"
    ? { kind: "schema", schema: objectOf(format.schema) }
    : { kind: "text" }
}
