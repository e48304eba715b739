import { GrowingMembers } from "../../canon/response-limits.ts"
import type { DialectId } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
} from "../../canon/json.ts"
import { searchQueries } from "../../dialects/gemini/search.ts"

/** A step of a vendor that may be billed, such as an output item or a call to one of its tools. */
export interface DoneItem {
  readonly name: string
  readonly item: JsonObject
}

/** The reports of a response that affect its price, as received so far. */
export class ResponseRecord {
  /** The members of the whole response. For a stream, the members that its frames have reported so far. */
  whole: JsonObject = {}
  items: DoneItem[] = []
  /** Whether the vendor has reported everything. */
  isEnded = false
  /**
   * Whether only the usage members of the response, or of the frames of its stream, are known. Other items may then be
   * missing.
   */
  isUnread = false
  readonly #reader: Reader
  readonly #members = new GrowingMembers()
  /** The usage in `whole`, if frames have reported one. */
  #usage: JsonObject | undefined

  constructor(dialect: DialectId) {
    this.#reader = READERS[dialect]
  }

  /** Adds a frame of a stream. */
  frame(json: JsonObject): void {
    this.#reader.frame(json, this)
  }

  /** Adds a whole response. */
  response(body: JsonObject): void {
    this.whole = body
    this.isEnded = true
    this.items = this.#reader.items(body)
  }

  /** Adds the members with the usage of a response that was not decoded. */
  usageMembers(members: JsonObject): void {
    this.whole = members
    this.isUnread = true
  }

  /** Adds the members with the usage of a frame that was not decoded. */
  unreadFrame(members: JsonObject): void {
    this.whole = { ...this.whole, ...members }
    this.isUnread = true
  }

  /**
   * Merges the members of a frame, and the members of its usage individually. Later values replace earlier ones.
   * @throws GatewayError `upstream_error` for too many members.
   */
  merge(members: JsonObject): void {
    const earlier = this.whole.usage
    this.#members.assign(this.whole, members)
    const { usage } = members
    if (!isJsonObject(usage)) return
    if (this.#usage === undefined || earlier !== this.#usage) this.#usage = {}
    this.#members.assign(this.#usage, usage)
    this.whole.usage = this.#usage
  }
}

/** Reads the reports in the form of one dialect. */
interface Reader {
  items(body: JsonObject): DoneItem[]
  frame(json: JsonObject, record: ResponseRecord): void
}

const RESPONSE_ENDS: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
])

/** A page that a text cites, which shows that the vendor has searched. */
const CITATION: DoneItem = { name: "url_citation", item: {} }
/** The results of a search, which Z.ai lists next to the choices of a response. */
const FOUND_PAGES: DoneItem = { name: "web_search_results", item: {} }

const RESPONSES: Reader = {
  items: (body) => listAt(body, "output").flatMap((item) => [...byType(item), ...citedIn(item)]),
  frame: (json, record) => {
    const type = textAt(json, "type") ?? ""
    if (type === "response.output_item.done")
      record.items.push(...byType(json.item), ...citedIn(json.item))
    const response = objectAt(json, "response")
    if (response === undefined) return
    // Earlier events already contain the tier and the model, which are the only reports if a response ends early.
    record.whole = response
    if (!RESPONSE_ENDS.has(type)) return
    record.isEnded = true
    const items = RESPONSES.items(response)
    if (items.length === 0) return
    record.items = items
    record.isUnread = false
  },
}

/** Vendors that run tools, such as Groq, report their tool calls next to the text. */
const CHAT: Reader = {
  items: (body) => [
    ...listAt(body, "choices").flatMap((choice) => executed(choice, "message")),
    ...foundPages(body),
  ],
  frame: (json, record) => {
    const { choices: _, ...members } = json
    record.merge(members)
    record.isEnded ||= isJsonObject(json.usage)
    record.items.push(...listAt(json, "choices").flatMap((choice) => executed(choice, "delta")))
    record.items.push(...foundPages(json))
  },
}

const MESSAGES: Reader = {
  items: (body) => listAt(body, "content").flatMap(byBlock),
  frame: (json, record) => {
    if (json.type === "message_start") {
      const message = objectAt(json, "message") ?? {}
      record.merge(message)
      record.items.push(...MESSAGES.items(message))
    } else if (json.type === "message_delta") {
      record.merge({ ...objectAt(json, "delta"), usage: json.usage ?? {} })
      record.isEnded = true
    } else if (json.type === "content_block_start") {
      record.items.push(...byBlock(json.content_block))
    }
  },
}

const GEMINI: Reader = {
  items: (body) => listAt(body, "candidates").flatMap(grounded),
  frame: (json, record) => {
    const { candidates: _, ...members } = json
    record.merge(members)
    record.isEnded ||= listAt(json, "candidates").some(isFinished) || isBlocked(json)
    record.items.push(...GEMINI.items(json))
  },
}

const CONVERSE: Reader = {
  items: () => [],
  frame: (json, record) => record.merge(objectAt(json, "metadata") ?? json),
}

const COHERE: Reader = {
  items: () => [],
  frame: (json, record) => record.merge(json),
}

const READERS: Readonly<Record<DialectId, Reader>> = {
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  "anthropic-messages": MESSAGES,
  gemini: GEMINI,
  "bedrock-converse": CONVERSE,
  "cohere-chat": COHERE,
}

function byType(item: JsonValue | undefined): DoneItem[] {
  if (!isJsonObject(item)) return []
  const name = textAt(item, "type")
  return name === undefined ? [] : [{ name, item }]
}

/** Returns blocks under the name of the tool that the server called, and blocks that announce another model. */
function byBlock(block: JsonValue | undefined): DoneItem[] {
  if (!isJsonObject(block)) return []
  if (block.type === "fallback") return [{ name: "fallback", item: block }]
  const name = block.type === "server_tool_use" ? textAt(block, "name") : undefined
  return name === undefined ? [] : [{ name, item: block }]
}

function executed(choice: JsonValue, member: "message" | "delta"): DoneItem[] {
  const reported = isJsonObject(choice) ? objectAt(choice, member) : undefined
  if (reported === undefined) return []
  return [...listAt(reported, "executed_tools").flatMap(byType), ...cited(reported)]
}

function foundPages(body: JsonObject): DoneItem[] {
  return listAt(body, "web_search").length > 0 ? [FOUND_PAGES] : []
}

function cited(text: JsonObject): DoneItem[] {
  const isCited = listAt(text, "annotations").some(
    (annotation) => isJsonObject(annotation) && annotation.type === "url_citation",
  )
  return isCited ? [CITATION] : []
}

/** Returns the citations in the texts of an output item. */
function citedIn(item: JsonValue | undefined): DoneItem[] {
  if (!isJsonObject(item) || item.type !== "message") return []
  return listAt(item, "content").filter(isJsonObject).flatMap(cited)
}

/** Whether the vendor has blocked the prompt. Such a response has no candidates. */
function isBlocked(json: JsonObject): boolean {
  return textAt(objectAt(json, "promptFeedback") ?? {}, "blockReason") !== undefined
}

function isFinished(candidate: JsonValue): boolean {
  return isJsonObject(candidate) && textAt(candidate, "finishReason") !== undefined
}

/**
 * Returns the queries of a candidate, and its first source of Google Maps. Queries count as map searches if all sources
 * are from Google Maps, because both tools report their queries in the same list.
 */
function grounded(candidate: JsonValue): DoneItem[] {
  const metadata = isJsonObject(candidate) ? objectAt(candidate, "groundingMetadata") : undefined
  if (metadata === undefined) return []
  const sources = listAt(metadata, "groundingChunks")
  const places = sources.filter((source) => isJsonObject(source) && isJsonObject(source.maps))
  const isOfMaps = places.length > 0 && places.length === sources.length
  const name = isOfMaps ? "google_maps" : "google_search"
  const queries = searchQueries(metadata).filter((query) => query.trim() !== "")
  return [
    ...queries.map((query) => ({ name, item: { query } })),
    ...(places.length > 0 ? [{ name: "google_maps_source", item: {} }] : []),
  ]
}
