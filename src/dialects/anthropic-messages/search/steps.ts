import type { Writable } from "../../../canon/writable.ts"
import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from "../../../canon/json.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { mintId } from "../../shared/identifiers.ts"
import { encodeQueries, foundPage } from "../../shared/search.ts"
import { DIALECT } from "../identifiers.ts"
import { DIRECT_CALLER } from "../tools/encode.ts"

const USE = "server_tool_use"
const RESULT = "web_search_tool_result"
const NAME = "web_search"
/** The prefix of the ids that the gateway assigns to other vendors' searches, to recognize them in later requests. */
const OWN_ID = "srvtoolu_tollgate_"
/** Placeholder for Anthropic's encrypted content. Nothing reads it. */
const NOT_ENCRYPTED = "tollgate"

/** Collects the searches of one answer. Anthropic reports the query and the results in separate blocks. */
export class SearchSteps {
  readonly #queries = new Map<string, string>()

  /**
   * Reads a block.
   * @returns the search if the block completes it.
   */
  read(block: JsonObject): WebSearchPart | undefined {
    if (block.type === USE && block.name === NAME) {
      const input = isJsonObject(block.input) ? block.input : {}
      this.#queries.set(textAt(block, "id") ?? "", textAt(input, "query") ?? "")
    }
    if (block.type !== RESULT) return undefined
    const query = this.#queries.get(textAt(block, "tool_use_id") ?? "")
    const pages = listAt(block, "content")
      .filter(isJsonObject)
      .flatMap((page) =>
        foundPage(textAt(page, "url"), textAt(page, "title"), textAt(page, "page_age")),
      )
    const search: Writable<WebSearchPart> = {
      type: "web-search",
      queries: query === undefined ? [] : [query],
      pages,
      uses: 1,
      reportedIn: DIALECT,
    }
    if (objectAt(block, "content") !== undefined) search.failed = true
    return search
  }
}

/** Another vendor's search in the form of Anthropic's own searches. */
export interface SearchBlocks {
  /** The block of the query, without its input, which is streamed. */
  readonly use: JsonObject
  readonly input: JsonObject
  readonly result: JsonObject
}

/** Returns the two blocks of a search (@anthropic-ai/sdk 1.12, `ServerToolUseBlock`, `WebSearchToolResultBlock`). */
export function encodeSearch(search: WebSearchPart): SearchBlocks {
  const id = mintId(OWN_ID)
  const caller = DIRECT_CALLER
  return {
    use: { type: USE, id, name: NAME, input: {}, caller },
    input: encodeQueries(search.queries),
    result: { type: RESULT, tool_use_id: id, content: encodePages(search), caller },
  }
}

function encodePages({ pages, failed }: WebSearchPart): JsonObject | JsonObject[] {
  if (failed === true) return { type: "web_search_tool_result_error", error_code: "unavailable" }
  return pages.map(({ url, title, age }) => ({
    type: "web_search_result",
    url,
    title: title ?? url,
    encrypted_content: NOT_ENCRYPTED,
    page_age: age ?? null,
  }))
}

/** Whether `encodeSearch` created a block of the history. */
export function isReportedStep({ type, id, tool_use_id: useId }: JsonObject): boolean {
  if (type !== USE && type !== RESULT) return false
  const named = type === USE ? id : useId
  return typeof named === "string" && named.startsWith(OWN_ID)
}
