import { isJsonObject, type JsonObject, listAt, textAt } from "../../canon/json.ts"

/** Stands between the chunks of one item of reasoning, each of which is a paragraph with a title. */
export const CHUNK_BREAK = "\n\n"

/**
 * The text of an item of reasoning: the reasoning itself where the vendor shows it, else what OpenAI
 * tells of it in a summary.
 */
export function reasoningText(item: JsonObject): string {
  return joined(item, "content") || joined(item, "summary")
}

function joined(item: JsonObject, key: "content" | "summary"): string {
  return listAt(item, key)
    .map((chunk) => (isJsonObject(chunk) ? textAt(chunk, "text") : undefined))
    .filter((text) => text !== undefined)
    .join(CHUNK_BREAK)
}
