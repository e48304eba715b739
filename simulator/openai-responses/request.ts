import { describeImage, imageTokens, readDataAddress } from "../images.ts"
import { arrayOf, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { PromptBuilder, type ReadBlock } from "../prompt-builder.ts"
import {
  lastUserText,
  type ResponseShape,
  type OfferedTool,
  type Prompt,
  type PromptMessage,
  type ToolChoice,
} from "../prompt.ts"
import { countTokens } from "../tokens.ts"
import { declaredTools } from "./declared-tools.ts"

const EFFORT_TOKENS: Record<string, number> = {
  none: 0,
  minimal: 0,
  low: 8,
  medium: 32,
  high: 128,
  xhigh: 256,
  max: 512,
}
const FILE_TOKENS = 256

/** Reads a checked request and the items that it continues from (docs/contribute/wire/openai-responses.md#f1). */
export function readPrompt(body: JsonObject, items: readonly JsonObject[]): Prompt {
  const builder = new PromptBuilder()
  for (const tool of arrayOf(body.tools)) builder.tool(JSON.stringify(tool))
  builder.message("system", readContent(body.instructions))
  for (const item of items) addItem(builder, item)
  const limit = body.max_output_tokens
  return {
    messages: builder.messages,
    echo: lastUserText(builder.messages),
    tools: readTools(body),
    toolTokens: builder.toolTokens,
    toolChoice: readToolChoice(body.tool_choice),
    parallelTools: body.parallel_tool_calls !== false,
    shape: readShape(objectOf(objectOf(body.text).format)),
    limit: typeof limit === "number" ? limit : Number.POSITIVE_INFINITY,
    stop: [],
    count: 1,
    reasoningTokens: readReasoning(body.reasoning),
  }
}

/** Returns the number of reasoning tokens. A request with reasoning but without an effort gets the default effort. */
function readReasoning(reasoning: Json | undefined): number {
  if (reasoning === undefined || reasoning === null) return 0
  const effort = stringOf(objectOf(reasoning).effort)
  return EFFORT_TOKENS[effort === "" ? "medium" : effort] ?? 0
}

function addItem(builder: PromptBuilder, item: JsonObject): void {
  switch (item.type ?? "message") {
    case "message":
      builder.message(readRole(item.role), readContent(item.content))
      return
    case "function_call": {
      const source = `${stringOf(item.name)} ${stringOf(item.arguments)}`
      builder.message("assistant", [{ source, textTokens: countTokens(source), mediaTokens: 0 }])
      return
    }
    case "custom_tool_call": {
      const source = `${stringOf(item.name)} ${stringOf(item.input)}`
      builder.message("assistant", [{ source, textTokens: countTokens(source), mediaTokens: 0 }])
      return
    }
    case "function_call_output":
    case "custom_tool_call_output":
      builder.message("tool", readContent(item.output))
      return
    default:
  }
}

function readRole(role: Json | undefined): PromptMessage["role"] {
  return role === "user" || role === "assistant" ? role : "system"
}

function readContent(content: Json | undefined): ReadBlock[] {
  if (typeof content === "string") return content === "" ? [] : [readText(content)]
  return arrayOf(content).map((part) => readPart(objectOf(part)))
}

function readText(text: string): ReadBlock {
  return { text, source: text, textTokens: countTokens(text), mediaTokens: 0 }
}

function readPart(part: JsonObject): ReadBlock {
  switch (part.type) {
    case "input_image": {
      const address = stringOf(part.image_url)
      const facts = readDataAddress(address)
      const mediaTokens = imageTokens(facts, stringOf(part.detail))
      const text = facts === undefined ? "[image url]" : describeImage(facts)
      return { text, source: address, textTokens: 0, mediaTokens }
    }
    case "input_file":
      return {
        text: "[file]",
        source: JSON.stringify(part),
        textTokens: 0,
        mediaTokens: FILE_TOKENS,
      }
    default:
      return readText(stringOf(part.text ?? part.refusal))
  }
}

function readTools(body: JsonObject): OfferedTool[] {
  const tools = declaredTools(body).map(({ name, schema }) => ({ name, schema }))
  const choice = objectOf(body.tool_choice)
  if (choice.type !== "allowed_tools") return tools
  const names = arrayOf(choice.tools).map((tool) => objectOf(tool).name)
  return tools.filter((tool) => names.includes(tool.name))
}

function readToolChoice(choice: Json | undefined): ToolChoice {
  if (choice === "none" || choice === "required") return { kind: choice }
  const { type, name, mode } = objectOf(choice)
  if (type === "function") return { kind: "named", name: stringOf(name) }
  return { kind: mode === "required" ? "required" : "auto" }
}

function readShape(format: JsonObject): ResponseShape {
  if (format.type === "json_schema") return { kind: "schema", schema: objectOf(format.schema) }
  return { kind: format.type === "json_object" ? "object" : "text" }
}
