import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "../openai-chat/errors.ts"
import { decrypts } from "./signer.ts"
import type { StoredResponses } from "./stored-responses.ts"

/**
 * Returns the items of a request, including the items that the request continues from. Returns the vendor's rejection
 * if they are invalid.
 */
export function gatherItems(
  body: JsonObject,
  stored: StoredResponses,
): { readonly items: readonly JsonObject[] } | VendorError {
  const before = itemsBefore(body, stored)
  if ("status" in before) return before
  const input: JsonObject[] =
    typeof body.input === "string"
      ? [{ role: "user", content: body.input }]
      : arrayOf(body.input).map((item) => objectOf(item))
  const items = [...before]
  for (const item of input) {
    const found = item.type === "item_reference" ? stored.item(stringOf(item.id)) : item
    if (found === undefined) return itemNotFound(stringOf(item.id))
    items.push(found)
  }
  return checkOrder(items, before.length, stored) ?? { items }
}

/** Returns the id of the conversation that a request continues; empty if there is none. */
export function conversationOf({ conversation }: JsonObject): string {
  return typeof conversation === "string" ? conversation : stringOf(objectOf(conversation).id)
}

function itemsBefore(
  body: JsonObject,
  stored: StoredResponses,
): readonly JsonObject[] | VendorError {
  const conversation = conversationOf(body)
  const previous = body.previous_response_id
  if (conversation !== "") {
    if (typeof previous === "string") {
      const message =
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of these."
      return invalid(message, "previous_response_id", "mutually_exclusive_parameters")
    }
    const message = `Conversation with id '${conversation}' not found.`
    return stored.named(conversation) ?? { ...invalid(message, "conversation", null), status: 404 }
  }
  if (typeof previous !== "string") return []
  const message = `Previous response with id '${previous}' not found.`
  return (
    stored.conversation(previous) ??
    invalid(message, "previous_response_id", "previous_response_not_found")
  )
}

function itemNotFound(id: string): VendorError {
  const message =
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try ` +
    "again with `store` set to true, or remove this item from your input."
  return { ...invalid(message, "input", null), status: 404 }
}

function checkOrder(
  items: readonly JsonObject[],
  firstNew: number,
  stored: StoredResponses,
): VendorError | undefined {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const id = stringOf(item.id)
    if (seen.has(id)) {
      const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
      return invalid(message, "input", null)
    }
    if (id !== "") seen.add(id)
    const error =
      item.type === "reasoning" && index >= firstNew
        ? checkReasoning(item, items.slice(index + 1), stored)
        : checkOrigin(item, items.slice(0, index), stored)
    if (error !== undefined) return error
  }
  return checkCalls(items)
}

/** Checks that a reasoning item is stored or contains its content, and that the item created from it follows. */
function checkReasoning(
  item: JsonObject,
  after: readonly JsonObject[],
  stored: StoredResponses,
): VendorError | undefined {
  const { encrypted_content: content } = item
  const id = stringOf(item.id)
  if (typeof content === "string") {
    if (!decrypts(content)) return notVerified(content)
  } else if (stored.item(id) === undefined) {
    return itemNotFound(id)
  }
  const next = after.find((other) => other.type !== "reasoning")
  if (next !== undefined && isAnswered(next)) return undefined
  const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`
  return invalid(message, "input", null)
}

function notVerified(content: string): VendorError {
  const short = `${content.slice(0, 4)}...${content.slice(-4)}`
  const message = `The encrypted content ${short} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
  return invalid(message, null, "invalid_encrypted_content")
}

function isAnswered(item: JsonObject): boolean {
  return item.role === "assistant" || stringOf(item.type).endsWith("_call")
}

/** Checks that an item referred to by its id directly follows its reasoning item. */
function checkOrigin(
  item: JsonObject,
  before: readonly JsonObject[],
  stored: StoredResponses,
): VendorError | undefined {
  const needed = stored.reasoningOf(item)
  if (needed === undefined) return undefined
  const isGiven = before.some(
    (other) => other.type === "reasoning" && (other.id === undefined || other.id === needed),
  )
  if (isGiven) return undefined
  const message = `Item '${stringOf(item.id)}' of type '${stringOf(item.type)}' was provided without its required 'reasoning' item: '${needed}'.`
  return invalid(message, "input", null)
}

function checkCalls(items: readonly JsonObject[]): VendorError | undefined {
  const called = new Set<string>()
  const open = new Set<string>()
  for (const item of items) {
    const id = stringOf(item.call_id)
    if (item.type === "function_call") open.add(id)
    // Calls to hosted tools that the caller runs need a result, like function calls.
    if (stringOf(item.type).endsWith("_call")) called.add(id)
    if (item.type !== "function_call_output") continue
    if (!called.has(id)) {
      const message = `No tool call found for function call output with call_id ${id}.`
      return invalid(message, "input", null)
    }
    open.delete(id)
  }
  const [first] = open
  if (first === undefined) return undefined
  return invalid(`No tool output found for function call ${first}.`, "input", null)
}
