import type { Exchange } from "../exchange.ts"
import { readForm } from "../form.ts"
import { drawPng, sizeOfRatio } from "./draw.ts"

/** `POST /v2beta/stable-image/generate/...`: a form in, JSON out (WIRE.md 11). */
export async function answerStability(exchange: Exchange): Promise<Response> {
  const form = await readForm(exchange)
  exchange.finish()
  if (!exchange.headers.get("authorization")?.startsWith("Bearer ")) {
    return refusal(401, "unauthorized", "authorization: missing")
  }
  if (form === undefined) return refusal(400, "bad_request", "content-type: must be a form")
  const { prompt = "", aspect_ratio: ratio = "1:1", model } = form.fields
  const isNamed = exchange.path.endsWith("/sd3")
  if (prompt === "") return refusal(400, "bad_request", "prompt: cannot be blank")
  if (isNamed !== (model !== undefined)) return refusal(400, "bad_request", "model: not expected")
  const size = sizeOfRatio(ratio)
  if (size === undefined) return refusal(400, "bad_request", "aspect_ratio: is not known")
  if (prompt.includes("forbidden")) {
    return refusal(403, "content_moderation", "Your request was flagged by our moderation system.")
  }
  const image = drawPng(prompt, size).toString("base64")
  return Response.json({ image, finish_reason: "SUCCESS", seed: 343_940_597 })
}

function refusal(status: number, name: string, error: string): Response {
  return Response.json({ id: "simulated", name, errors: [error] }, { status })
}
