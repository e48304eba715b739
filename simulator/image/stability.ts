import type { Exchange } from "../exchange.ts"
import { readForm, type SentFile, type SentForm } from "../form.ts"
import { dueFault, wholeBody } from "../play.ts"
import { playTransportFault } from "../transport-faults.ts"
import { drawPng, type Size, sizeOfRatio } from "./draw.ts"
import { readPixels } from "./pixels.ts"

/** The seed and size of an image, or the reason for a rejection. */
type Judged = { readonly seed: string; readonly size: Size } | { readonly wrong: string }

/**
 * Answers `POST /v2beta/stable-image/...`. The request is a form, and the response is JSON
 * (docs/contribute/wire/images.md#f6; Stability's reference).
 */
export async function answerStability(exchange: Exchange): Promise<Response> {
  const form = await readForm(exchange)
  if (!exchange.headers.get("authorization")?.startsWith("Bearer ")) {
    return rejection(exchange, 401, "unauthorized", "authorization: missing")
  }
  if (form === undefined)
    return rejection(exchange, 400, "bad_request", "content-type: must be a form")
  const { prompt = "" } = form.fields
  if (prompt === "") return rejection(exchange, 400, "bad_request", "prompt: cannot be blank")
  const judged = exchange.path.endsWith("/edit/inpaint")
    ? validateEdit(form)
    : validateGeneration(form, exchange.path)
  if ("wrong" in judged) return rejection(exchange, 400, "bad_request", judged.wrong)
  if (prompt.includes("forbidden")) {
    const words = "Your request was flagged by our moderation system."
    return rejection(exchange, 403, "content_moderation", words)
  }
  const fault = dueFault(exchange, "", prompt)
  const known = fault === "unknown" ? undefined : fault
  const played = known && (await playTransportFault(exchange, known))
  if (played) return played
  const image = drawPng(judged.seed, judged.size).toString("base64")
  const json = { image, finish_reason: "SUCCESS", seed: 343_940_597 }
  return new Response(wholeBody(exchange, JSON.stringify(json), known), {
    headers: { "content-type": "application/json" },
  })
}

function validateGeneration({ fields, files }: SentForm, path: string): Judged {
  const { prompt = "", model, aspect_ratio: ratio, mode, strength } = fields
  const isNamed = path.endsWith("/sd3")
  if (isNamed !== (model !== undefined)) return { wrong: "model: not expected" }
  const size = sizeOfRatio(ratio ?? "1:1")
  if (size === undefined) return { wrong: "aspect_ratio: is not known" }
  const image = fileOf(files, "image")
  if (isNamed && (mode === "image-to-image") !== (image !== undefined)) {
    return { wrong: "mode: must be image-to-image with an image, and only then" }
  }
  if (image === undefined) return { seed: prompt, size }
  if (path.endsWith("/core")) return { wrong: "image: not expected" }
  if (!(Number(strength) >= 0 && Number(strength) <= 1)) return { wrong: "strength: is required" }
  if (isNamed && ratio !== undefined) {
    return { wrong: "aspect_ratio: is only valid for text-to-image requests" }
  }
  return { seed: `${prompt} ${Bun.hash(image.bytes).toString(16)}`, size }
}

/** Size of an edited image, about four megapixels. */
const EDITED: Size = { width: 2048, height: 2048 }

function validateEdit({ fields, files }: SentForm): Judged {
  const known = "prompt negative_prompt seed output_format style_preset grow_mask".split(" ")
  const unknown = Object.keys(fields).find((name) => !known.includes(name))
  if (unknown !== undefined) return { wrong: `${unknown}: not expected` }
  const image = fileOf(files, "image")
  const mask = fileOf(files, "mask")
  if (image === undefined) return { wrong: "image: is required" }
  const pixels = mask && readPixels(Buffer.from(mask.bytes))
  if (pixels === undefined) return { wrong: "mask: could not be read" }
  // The vendor would use only the colors of such a mask and ignore its transparency. The simulator rejects the mask, so
  // that a test detects the mistake.
  if (pixels.samples !== 1) return { wrong: "mask: should be a black and white image" }
  return { seed: seedOfEdit(fields["prompt"] ?? "", image.bytes, pixels.data), size: EDITED }
}

/** Returns the seed of an edited image. It depends on the prompt, the image and the mask. */
export function seedOfEdit(prompt: string, image: Uint8Array, strength: Uint8Array): string {
  const sum = strength.reduce((total, value) => total + value, 0)
  return `${prompt} ${Bun.hash(image).toString(16)} ${sum}`
}

function fileOf(files: readonly SentFile[], field: string): SentFile | undefined {
  return files.find((file) => file.field === field)
}

function rejection(exchange: Exchange, status: number, name: string, error: string): Response {
  exchange.finish()
  return Response.json({ id: "simulated", name, errors: [error] }, { status })
}
