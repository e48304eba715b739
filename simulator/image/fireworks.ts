import type { Exchange } from "../exchange.ts"
import { isObject, stringOf } from "../json.ts"
import { drawPng, sizeOfRatio } from "./draw.ts"

/**
 * Answers requests for Fireworks' workflows and older models. The request is JSON, and the response is the image file.
 */
export async function answerFireworks(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  exchange.finish()
  if (!isObject(body) || stringOf(body["prompt"]) === "") {
    return Response.json({ error: { message: "prompt is required" } }, { status: 400 })
  }
  const size =
    typeof body["width"] === "number" && typeof body["height"] === "number"
      ? { width: body["width"], height: body["height"] }
      : (sizeOfRatio(stringOf(body["aspect_ratio"]) || "1:1") ?? { width: 1024, height: 1024 })
  return new Response(new Uint8Array(drawPng(stringOf(body["prompt"]), size)), {
    headers: { "content-type": "image/png" },
  })
}
