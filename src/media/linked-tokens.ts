import { isJsonObject, type JsonValue } from "../canon/json.ts"
import { imageTokenBound } from "./image-tokens.ts"

/** Members that link to content for the model to read. `url` is not included, because it may be just a citation. */
const LINKS: ReadonlySet<string> = new Set([
  "image_url",
  "document_url",
  "file_url",
  "pdf_url",
  "video_url",
  "audio_url",
  "input_video",
])

/**
 * Returns the maximum input tokens of content in a vendor's own format, in addition to one token per byte. It may
 * contain images, documents and videos of any length, linked or as data.
 * @param model the model's id or name.
 * @returns Infinity for documents and videos.
 */
export function linkedTokenBound(content: JsonValue | undefined, model: string): number {
  if (Array.isArray(content)) {
    return content.reduce<number>((sum, inner) => sum + linkedTokenBound(inner, model), 0)
  }
  if (!isJsonObject(content)) return 0
  let tokens = 0
  for (const [name, member] of Object.entries(content)) {
    const address = isJsonObject(member) ? (member.url ?? member["data"]) : member
    if (!LINKS.has(name) || typeof address !== "string") tokens += linkedTokenBound(member, model)
    else tokens += boundOfLink(name, address, model)
  }
  return tokens
}

/**
 * Returns the maximum tokens of a link. Only images have a maximum, because documents and videos in unknown content are
 * not measured.
 */
function boundOfLink(name: string, url: string, model: string): number {
  return name === "image_url" ? imageTokenBound({ type: "url", url }, undefined, model) : Infinity
}
