import type { ChatRequest } from "../../canon/chat.ts"
import { isJsonObject, type JsonValue } from "../../canon/json.ts"
import type { LossList } from "./losses.ts"

/** Reports the kinds of output other than text that a request asks for and that an upstream cannot be asked for. */
export function loseModalities({ modalities, speech }: ChatRequest, losses: LossList): void {
  for (const modality of modalities ?? []) {
    if (modality !== "text") losses.add(`output.${modality}`)
  }
  if (speech !== undefined && modalities?.includes("audio") !== true) losses.add("output.audio")
}

/** Whether a tool of a request makes images (OpenAI's OpenAPI description, `ImageGenTool`). */
export function isImageTool(tool: JsonValue): boolean {
  return isJsonObject(tool) && tool.type === "image_generation"
}
