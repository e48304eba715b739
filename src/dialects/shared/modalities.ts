import type { ChatRequest, ImageShape } from "../../canon/chat.ts"
import { isJsonObject, type JsonValue, textAt } from "../../canon/json.ts"
import type { LossList } from "./losses.ts"

/**
 * Reports requested modalities of the response other than text as losses, for an upstream that has no option for them.
 */
export function loseModalities(
  { modalities, speech, imageShape }: ChatRequest,
  losses: LossList,
): void {
  if (imageShape !== undefined) losses.add("image_config")
  for (const modality of modalities ?? []) {
    if (modality !== "text") losses.add(`output.${modality}`)
  }
  if (speech !== undefined && modalities?.includes("audio") !== true) losses.add("output.audio")
}

/** Decodes the shape of images from a field of a request; undefined if the field has neither of the two members. */
export function decodeImageShape(
  config: JsonValue | undefined,
  ratioField: string,
  sizeField: string,
): ImageShape | undefined {
  if (!isJsonObject(config)) return undefined
  const aspectRatio = textAt(config, ratioField)
  const size = textAt(config, sizeField)
  if (aspectRatio === undefined && size === undefined) return undefined
  return { ...(aspectRatio !== undefined && { aspectRatio }), ...(size !== undefined && { size }) }
}

/** Whether a tool of a request generates images (OpenAI's OpenAPI description, `ImageGenTool`). */
export function isImageTool(tool: JsonValue): boolean {
  return isJsonObject(tool) && tool.type === "image_generation"
}
