import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  textAt,
  listAt,
  objectAt,
} from "../../canon/json.ts"
import { FILE_ADDRESS, STATE, stateIn, type StateShape } from "../../canon/vendor-state.ts"
import { reasoningText } from "./reasoning.ts"
import {
  type ConversationResponse,
  type ConversationForm,
  conversationKey,
  type ConversationName,
} from "../../canon/conversation.ts"

const CONTENT_MEMBERS = { file_id: STATE.file, file_url: FILE_ADDRESS, image_url: FILE_ADDRESS }
const CONTENT = stateIn(CONTENT_MEMBERS)

/** A skill that the operator has uploaded. The vendor's own skills have plain names. */
const SKILL: StateShape = {
  ...STATE.skill,
  when: (id) => typeof id === "string" && id.startsWith("skill_"),
}

/** A file that only the code reads. The model only reads the output of the code. */
const CODE_FILE: StateShape = { names: { kind: "file", isShared: true, isWeightless: true } }

/** The environment of a code tool, and its files. For a computer tool, the environment is a plain string. */
const ENVIRONMENT = stateIn({
  container_id: STATE.container,
  file_ids: CODE_FILE,
  skills: stateIn({ skill_id: SKILL }),
})

const CONTAINER: StateShape = { ...STATE.container, ...ENVIRONMENT }

const TOOL_MEMBERS: Readonly<Record<string, StateShape>> = {
  vector_store_ids: STATE.vectorStore,
  // xAI's name for vector stores.
  collection_ids: STATE.vectorStore,
  container: CONTAINER,
  environment: ENVIRONMENT,
  input_image_mask: CONTENT,
}

/** A tool, or a namespace that contains tools. */
const TOOL = stateIn({ ...TOOL_MEMBERS, tools: stateIn(TOOL_MEMBERS) })

const ITEM: StateShape = {
  // A call of the code interpreter refers to its container.
  ...stateIn({
    content: CONTENT,
    output: CONTENT,
    // Content may be in the input without a message around it.
    ...CONTENT_MEMBERS,
    container_id: STATE.container,
    environment: ENVIRONMENT,
    // Tools that were added to the conversation, or that a tool search found.
    tools: TOOL,
  }),
  also: [
    stateIn({ id: STATE.item }, isReference),
    // Items without content are dropped for other vendors, like all items that exist in this dialect only.
    stateIn({ id: { names: { kind: "item" } } }, isEmptied),
  ],
}

/**
 * The places in a request for a response that refer to state stored by the vendor (openai 7.55,
 * `ResponseCreateParams`).
 */
export const REQUEST_STATE: StateShape = stateIn({
  previous_response_id: STATE.response,
  conversation: { ...STATE.conversation, ...stateIn({ id: STATE.conversation }) },
  prompt: stateIn({ id: STATE.prompt, variables: { each: CONTENT } }),
  // The stored state is only compared and reported.
  prompt_cache_options: stateIn({
    comparison_response_id: { names: { kind: "response", isWeightless: true } },
  }),
  input: ITEM,
  tools: TOOL,
})

/** Whether an item is a reference. Its type may be omitted. */
function isReference(item: JsonValue): boolean {
  if (!isJsonObject(item)) return false
  return item.type === "item_reference" || (!isDefined(item.type) && !isDefined(item.role))
}

/** Whether an item has no content, so that the vendor looks up its stored content. */
function isEmptied(item: JsonValue): boolean {
  if (!isJsonObject(item)) return false
  if (item.type === "image_generation_call") return textAt(item, "result") === undefined
  if (item.type !== "reasoning") return false
  return textAt(item, "encrypted_content") === undefined && reasoningText(item) === ""
}

/** An annotation that names a file created by a tool. */
const ANNOTATION = stateIn(
  { container_id: STATE.container, file_id: STATE.file },
  (annotation) =>
    isJsonObject(annotation) &&
    (annotation.type === "container_file_citation" || annotation.type === "file_path"),
)

/** State that tools create, even if the response itself is not stored. */
const TOOL_STATE: Readonly<Record<string, StateShape>> = {
  container_id: STATE.container,
  environment: stateIn({ container_id: STATE.container }),
  content: stateIn({ annotations: ANNOTATION }),
}

const KEPT_ITEM = stateIn({ ...TOOL_STATE, id: STATE.item })
const KEPT_RESPONSE: Readonly<Record<string, StateShape>> = {
  id: STATE.response,
  conversation: stateIn({ id: STATE.conversation }),
  output: KEPT_ITEM,
}

/** The places of state in a whole response, or in a frame of a response. */
const KEPT = stateIn({ ...KEPT_RESPONSE, response: stateIn(KEPT_RESPONSE), item: KEPT_ITEM })

const TOOL_ITEM = stateIn(TOOL_STATE)
const UNKEPT = stateIn({
  output: TOOL_ITEM,
  response: stateIn({ output: TOOL_ITEM }),
  item: TOOL_ITEM,
})

/**
 * Returns the places in the response to a request that name state stored by the vendor; undefined if the vendor stores
 * no state. A vendor stores a response unless `store` is false (OpenAI's OpenAPI description).
 */
export function responseState(body: JsonObject): StateShape | undefined {
  if (body.store !== false) return KEPT
  return Array.isArray(body.tools) && body.tools.some(runsCode) ? UNKEPT : undefined
}

function runsCode(tool: JsonValue): boolean {
  return isJsonObject(tool) && tool.type !== "function" && tool.type !== "custom"
}

/** Types of items that a vendor looks up if they have an id. Without the id, the vendor uses their content. */
const FREE_OF_ID: ReadonlySet<JsonValue | undefined> = new Set([
  "message",
  "function_call",
  "custom_tool_call",
])

/** Statuses of responses that are no longer in progress, even if they were cut short. */
const WHOLE: ReadonlySet<JsonValue | undefined> = new Set(["completed", "incomplete"])

/** The rules for continuing earlier responses in a responses request (openai 7.55, `ResponseCreateParams`). */
export const CONVERSATION: ConversationForm = {
  names(body) {
    const names: ConversationName[] = []
    const previous = textAt(body, "previous_response_id")
    if (previous !== undefined) names.push({ kind: "response", id: previous })
    for (const item of listAt(body, "input")) {
      const id = referenceOf(item)
      if (id !== undefined) names.push({ kind: "item", id })
    }
    return names
  },
  replaced(body, kept) {
    const { previous_response_id: previous, ...rest } = body
    const before =
      typeof previous === "string"
        ? kept.get(conversationKey({ kind: "response", id: previous }))
        : undefined
    const input = inputOf(body).flatMap((item) => {
      const id = referenceOf(item)
      if (id === undefined) return [item]
      return (kept.get(conversationKey({ kind: "item", id })) ?? []).flatMap(restated)
    })
    return { ...rest, input: [...(before ?? []).flatMap(restated), ...input] }
  },
  wantsKept: (body) => body.store !== false,
  items: (body) =>
    isDefined(body.conversation) || isDefined(body.prompt) ? undefined : inputOf(body),
  listed: listedItem,
  response(last) {
    const body = objectAt(last, "response") ?? last
    const id = textAt(body, "id")
    if (id === undefined || !WHOLE.has(body.status)) return undefined
    const response: ConversationResponse = {
      id,
      body,
      items: listAt(body, "output").filter(isJsonObject),
    }
    return response
  },
}

function inputOf({ input }: JsonObject): readonly JsonValue[] {
  if (Array.isArray(input)) return input
  return isDefined(input) ? [{ type: "message", role: "user", content: input }] : []
}

function referenceOf(item: JsonValue): string | undefined {
  return isJsonObject(item) && isReference(item) ? textAt(item, "id") : undefined
}

/**
 * Returns an item as a caller would send it. An id from the gateway or another vendor is removed, because it is unknown
 * to the next vendor.
 */
function restated(item: JsonValue): JsonValue[] {
  if (!isJsonObject(item)) return [item]
  if (isEmptied(item)) return []
  const type = item.type ?? "message"
  if (!FREE_OF_ID.has(type)) return [item]
  const { id: _, ...rest } = item
  return [rest]
}

/** The prefix of the new id for items without an id, by item type (openai 7.55, `ResponseItem`). */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  reasoning: "rs_",
}
const OTHER_PREFIX = "item_"

/**
 * Returns an input item of a response as OpenAI lists it: with its type, an id and, for messages, content as a list.
 * @param mark returns a stable mark for an item without an id.
 */
export function listedItem(item: JsonValue, mark: () => string): JsonObject {
  const given = isJsonObject(item) && textAt(item, "role") ? item : wrapped(item)
  const type = textAt(given, "type") ?? "message"
  const id = textAt(given, "id") ?? (ID_PREFIXES[type] ?? OTHER_PREFIX) + mark()
  if (type !== "message") return { ...given, type, id }
  const { content } = given
  const parts =
    typeof content === "string"
      ? [{ type: given.role === "assistant" ? "output_text" : "input_text", text: content }]
      : (content ?? [])
  return { status: "completed", ...given, type, id, content: parts }
}

/** Wraps a string, or content without a message around it, in a user message. */
function wrapped(item: JsonValue): JsonObject {
  if (typeof item === "string") return { role: "user", content: item }
  if (!isJsonObject(item)) return { role: "user", content: [item] }
  const type = textAt(item, "type")
  const isContent = type !== undefined && type.startsWith("input_")
  return isContent ? { role: "user", content: [item] } : item
}
