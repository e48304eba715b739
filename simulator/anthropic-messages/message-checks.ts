import { checkLeadingThinking, readThinking, type TurnOutline } from "../claude-thinking.ts"
import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { checkBlock } from "./block-checks.ts"

const ROLES = ["user", "assistant", "system"]

/** Further fields of system messages within a conversation, according to the SDK's `BetaSystemMessageParam`. */
const SYSTEM_SETTINGS = ["clear_at", "output_config"]

/** Returns Anthropic's error for the messages; undefined if the messages are valid. */
export function checkMessages(body: JsonObject): string | undefined {
  const messages = arrayOf(body.messages)
  if (messages.length === 0) return "messages: at least one message is required"
  for (const [index, message] of messages.entries()) {
    const error = checkMessage(message, index, index === messages.length - 1)
    if (error !== undefined) return error
  }
  const list = messages.map((message) => objectOf(message))
  const { kind } = readThinking(objectOf(body.thinking), "")
  return (
    checkToolOrder(list) ??
    (kind === "enabled" ? checkLeadingThinking(list.map(outline)) : undefined)
  )
}

function outline(message: JsonObject): TurnOutline {
  const { role, content } = message
  const kinds = arrayOf(content).map((block) => stringOf(objectOf(block).type))
  return { role: stringOf(role), kinds: typeof content === "string" ? ["text"] : kinds }
}

function checkMessage(message: Json, index: number, isLast: boolean): string | undefined {
  const place = `messages.${index}`
  if (!isObject(message)) return `${place}: Input should be a valid dictionary`
  const { role, content, ...rest } = message
  const settings = role === "system" ? SYSTEM_SETTINGS : []
  const unknown = Object.keys(rest).filter((field) => !settings.includes(field))
  for (const field of unknown) return `${place}.${field}: Extra inputs are not permitted`
  if (role === undefined) return `${place}.role: Field required`
  if (!ROLES.includes(stringOf(role))) {
    return `${place}.role: Input should be 'user' or 'assistant'`
  }
  if (index === 0 && role === "system") {
    return 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
  }
  if (index === 0 && role !== "user") return 'messages: first message must use the "user" role'
  if (content === undefined) return `${place}.content: Field required`
  return checkContent(content, stringOf(role), place, isLast)
}

function checkContent(
  content: Json,
  role: string,
  place: string,
  isLast: boolean,
): string | undefined {
  if (typeof content !== "string" && !Array.isArray(content)) {
    return `${place}.content: Input should be a valid list`
  }
  const isPrefill = isLast && role === "assistant"
  if (content.length === 0 && !isPrefill) {
    return `${place}: all messages must have non-empty content except for the optional final assistant message`
  }
  const texts = typeof content === "string" ? [content] : textsOf(content)
  if (role === "user" && texts.some((text) => text !== "" && text.trim() === "")) {
    return "messages: text content blocks must contain non-whitespace text"
  }
  const last = texts.at(-1) ?? ""
  if (isPrefill && last !== last.trimEnd()) {
    return "messages: final assistant content cannot end with trailing whitespace"
  }
  if (typeof content === "string") return undefined
  for (const [position, block] of content.entries()) {
    const error = checkBlock(block, role, `${place}.content.${position}`)
    if (error !== undefined) return error
  }
  return undefined
}

function textsOf(content: readonly Json[]): string[] {
  return content
    .map((block) => objectOf(block))
    .filter((block) => block.type === "text")
    .map((block) => stringOf(block.text))
}

/**
 * Checks that the message after each call begins with exactly one result for the call, and that there are no other
 * results.
 */
function checkToolOrder(messages: JsonObject[]): string | undefined {
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const error = checkResults(message, open, index)
    if (error !== undefined) return error
    const calls = arrayOf(message.content).filter((block) => objectOf(block).type === "tool_use")
    open = calls.map((call) => stringOf(objectOf(call).id))
    const double = open.find((id, position) => open.indexOf(id) !== position)
    if (double !== undefined) return `messages.${index}: \`tool_use\` ids must be unique`
  }
  return open.length > 0 ? unanswered(open, messages.length - 1) : undefined
}

function checkResults(message: JsonObject, open: string[], index: number): string | undefined {
  const answered = new Set<string>()
  let isHead = true
  for (const [position, block] of arrayOf(message.content).entries()) {
    const { type, tool_use_id: id } = objectOf(block)
    if (type !== "tool_result") {
      isHead = false
      continue
    }
    const response = stringOf(id)
    if (!open.includes(response)) {
      return (
        `messages.${index}.content.${position}: unexpected \`tool_use_id\` found in ` +
        `\`tool_result\` blocks: ${response}. Each \`tool_result\` block must have a corresponding ` +
        "`tool_use` block in the previous message."
      )
    }
    if (answered.has(response)) {
      return `messages.${index}.content.${position}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${response}`
    }
    if (isHead) answered.add(response)
  }
  const missing = open.filter((call) => !answered.has(call))
  return missing.length > 0 ? unanswered(missing, index - 1) : undefined
}

function unanswered(ids: readonly string[], index: number): string {
  return (
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately ` +
    `after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` ` +
    "block in the next message."
  )
}
