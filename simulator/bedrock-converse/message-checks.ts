import { checkLeadingThinking, type TurnOutline } from "../claude-thinking.ts"
import { arrayOf, isObject, objectOf, stringOf, type Json, type JsonObject } from "../json.ts"
import { checkBlock } from "./block-checks.ts"
import { invalid, invalidForModel, unknownMember, type VendorError } from "./errors.ts"
import { thinkingConfig } from "./thinking-config.ts"

/** Returns the error that Bedrock or the model sends for the messages; undefined if the messages are valid. */
export function checkMessages(body: JsonObject): VendorError | undefined {
  const messages = arrayOf(body.messages).map((message) => objectOf(message))
  const wrong = checkRoles(messages) ?? checkContents(messages, body.toolConfig !== undefined)
  if (wrong !== undefined) return typeof wrong === "string" ? invalid(wrong) : wrong
  const order = checkToolOrder(messages)
  if (order !== undefined) return invalid(order)
  const { type } = thinkingConfig(body)
  const unled = type === "enabled" ? checkLeadingThinking(messages.map(outline)) : undefined
  return unled === undefined ? undefined : invalidForModel(unled)
}

function checkRoles(messages: readonly JsonObject[]): string | undefined {
  if (messages[0]?.role !== "user") {
    return "A conversation must start with a user message. Try again with a conversation that starts with a user message."
  }
  for (const [index, { role, content: _, ...rest }] of messages.entries()) {
    for (const member in rest) return unknownMember(`messages.${index}.${member}`)
    if (role !== "user" && role !== "assistant") {
      return `1 validation error detected: Value '${stringOf(role)}' at 'messages.${index + 1}.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]`
    }
    if (role === messages[index - 1]?.role) {
      return "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."
    }
  }
  return undefined
}

function checkContents(
  messages: readonly JsonObject[],
  hasTools: boolean,
): VendorError | string | undefined {
  for (const [index, message] of messages.entries()) {
    const content = arrayOf(message.content)
    if (content.length === 0) {
      return `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`
    }
    for (const [position, block] of content.entries()) {
      const place = `messages.${index}.content.${position}`
      const error = checkBlock(block, stringOf(message.role), place)
      if (error !== undefined) return error
    }
    if (has(content, "document") && !has(content, "text")) {
      return `The message at messages.${index} has a document and no text. Add a text block and try again.`
    }
    if (!hasTools && (has(content, "toolUse") || has(content, "toolResult"))) {
      return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    }
  }
  return undefined
}

function has(content: readonly Json[], kind: string): boolean {
  return content.some((block) => objectOf(block)[kind] !== undefined)
}

/**
 * Checks that the message after each call contains exactly one result for the call, and that there are no other
 * results.
 */
function checkToolOrder(messages: readonly JsonObject[]): string | undefined {
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const content = arrayOf(message.content)
    const place = `messages.${index}.content`
    const results = idsOf(content, "toolResult")
    const missing = open.filter((id) => !results.includes(id))
    if (missing.length > 0) {
      return `Expected toolResult blocks at ${place} for the following Ids: ${missing.join(", ")}`
    }
    if (results.length > open.length) {
      return `The number of toolResult blocks at ${place} exceeds the number of toolUse blocks of previous turn.`
    }
    open = idsOf(content, "toolUse")
  }
  if (open.length === 0) return undefined
  return `Expected toolResult blocks at messages.${messages.length}.content for the following Ids: ${open.join(", ")}`
}

function idsOf(content: readonly Json[], kind: "toolUse" | "toolResult"): string[] {
  return content
    .map((block) => objectOf(block)[kind])
    .filter(isObject)
    .map((block) => stringOf(block.toolUseId))
}

/** Describes the message by the kinds of its blocks, with Anthropic's names. */
function outline({ role, content }: JsonObject): TurnOutline {
  const kinds = arrayOf(content).map((entry) => {
    const block = objectOf(entry)
    if (block.reasoningContent !== undefined) return "thinking"
    if (block.toolUse !== undefined) return "tool_use"
    return block.toolResult === undefined ? "text" : "tool_result"
  })
  return { role: stringOf(role), kinds }
}
