import { isJsonObject, type JsonObject, listAt, textAt } from "../../canon/json.ts"

/** Separates the chunks of one reasoning item. Each chunk is a paragraph with a title. */
export const CHUNK_BREAK = "\n\n"

/** Returns the text of a reasoning item: the reasoning itself if the vendor shows it, otherwise OpenAI's summary. */
export function reasoningText(item: JsonObject): string {
  return joined(item, "content") || joined(item, "summary")
}

function joined(item: JsonObject, key: "content" | "summary"): string {
  return listAt(item, key)
    .map((chunk) => (isJsonObject(chunk) ? textAt(chunk, "text") : undefined))
    .filter((text) => text !== undefined)
    .join(CHUNK_BREAK)
}
