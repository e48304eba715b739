import {
  isJsonObject,
  isDefined,
  type JsonObject,
  type JsonValue,
  textAt,
} from "../../../canon/json.ts"
import { FILE_ADDRESS, STATE, stateIn, type StateShape } from "../../../canon/vendor-state.ts"
import { reasoningText } from "../reasoning.ts"

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
export function isReference(item: JsonValue): boolean {
  if (!isJsonObject(item)) return false
  return item.type === "item_reference" || (!isDefined(item.type) && !isDefined(item.role))
}

/** Whether an item has no content, so that the vendor looks up its stored content. */
export function isEmptied(item: JsonValue): boolean {
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

/** The places of state in a whole answer, or in a frame of an answer. */
const KEPT = stateIn({ ...KEPT_RESPONSE, response: stateIn(KEPT_RESPONSE), item: KEPT_ITEM })

const TOOL_ITEM = stateIn(TOOL_STATE)
const UNKEPT = stateIn({
  output: TOOL_ITEM,
  response: stateIn({ output: TOOL_ITEM }),
  item: TOOL_ITEM,
})

/**
 * Returns the places in the response to a request that name state stored by the vendor; undefined if the vendor stores
 * no state. A vendor stores an answer unless `store` is false (OpenAI's OpenAPI description).
 */
export function answerState(body: JsonObject): StateShape | undefined {
  if (body.store !== false) return KEPT
  return Array.isArray(body.tools) && body.tools.some(runsCode) ? UNKEPT : undefined
}

function runsCode(tool: JsonValue): boolean {
  return isJsonObject(tool) && tool.type !== "function" && tool.type !== "custom"
}
