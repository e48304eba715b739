import type { Exchange } from "../exchange.ts"
import type { Handler, WireFormat } from "../format.ts"
import { type JsonObject, stringOf } from "../json.ts"
import { answerJson, type JsonOperation } from "../json-operation.ts"
import { bedrock } from "./bedrock.ts"
import { answerFireworks } from "./fireworks.ts"
import { gemini, imagen, openrouter, together, xai } from "./json-vendors.ts"
import { answerLink, isLink } from "./links.ts"
import { answerGenerations, answerImageForm } from "./openai.ts"
import { answerStability } from "./stability.ts"

const INVOKE = /^\/model\/((?:amazon\.(?:titan-image|nova-canvas)|stability\.)[^/]*)\/invoke$/
const GENERATE = /\/models\/(gemini-[^/:]*image[^/:]*):generateContent$/
const STREAM = /\/models\/(gemini-[^/:]*image[^/:]*):streamGenerateContent\b/
const PREDICT = /\/models\/(imagen-[^/:]*):predict$/
const STABILITY = /^\/v2beta\/stable-image\/(generate\/[^/]+|edit\/inpaint)$/
const FIREWORKS = /^\/inference\/v1\/(workflows\/.+\/text_to_image|image_generation\/.+)$/

/** Simulates images in the format of each vendor. */
export const images: WireFormat = {
  name: "images",
  match(method, path): Handler | undefined {
    if (method === "GET") return isLink(path) ? answerLink : undefined
    if (method !== "POST") return undefined
    if (path === "/v1/images/generations") return (exchange) => answerGenerations(exchange, others)
    if (path === "/v1/images/edits") return answerEdits
    if (path === "/v1/images/variations")
      return (exchange) => answerImageForm(exchange, "variation")
    if (path === "/v1/images") return (exchange) => answerJson(exchange, openrouter)
    if (STABILITY.test(path)) return answerStability
    if (FIREWORKS.test(path)) return answerFireworks
    return answerOfModel(path)
  },
}

/** Returns the handler of a vendor that names the model in the path. */
function answerOfModel(path: string): Handler | undefined {
  const kinds = [
    [GENERATE, gemini],
    [STREAM, (model: string) => gemini(model, true)],
    [PREDICT, imagen],
    [INVOKE, bedrock],
  ] as const
  for (const [pattern, operation] of kinds) {
    const name = pattern.exec(path)?.[1]
    if (name === undefined) continue
    const model = decodeURIComponent(name)
    return (exchange) => answerJson(exchange, () => operation(model))
  }
  return undefined
}

/** Answers edits. Requests are JSON for xAI and a form for OpenAI. */
function answerEdits(exchange: Exchange): Promise<Response> {
  const isJson = exchange.headers.get("content-type") === "application/json"
  if (!isJson) return answerImageForm(exchange, "edit")
  return answerJson(exchange, () => xai(exchange))
}

/** Returns the operation of another vendor with OpenAI's path, selected by the model's name. */
function others(exchange: Exchange, body: JsonObject): JsonOperation | undefined {
  const model = stringOf(body["model"])
  if (model.startsWith("grok-")) return xai(exchange)
  return model.startsWith("black-forest-labs/") ? together(exchange) : undefined
}
