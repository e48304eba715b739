import type { ImageFormat, ImageRequest } from "../../../src/canon/image.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import type { OperationResponse, OperationCall } from "../../../src/canon/operation.ts"
import { vendors } from "../../../src/vendors/index.ts"
import { png } from "../../support/png.ts"

/** Returns the image format of a vendor. */
export function imagesOf(vendor: string): ImageFormat {
  const format = vendors.get(vendor)?.operations?.image
  if (!format) throw new Error(`${vendor} makes no images`)
  return format
}

/** An image as a decoded request contains it. */
export const IMAGE = { bytes: png(64, 64), mediaType: "image/png" }

/** Returns a request. Absent fields have default values. */
export function requestOf(changes: Partial<ImageRequest> = {}): ImageRequest {
  return {
    task: "generation",
    prompt: "a boat",
    count: 1,
    form: "b64_json",
    images: changes.task === undefined || changes.task === "generation" ? [] : [IMAGE],
    options: {},
    ...changes,
  }
}

/** Returns the body of a call: its JSON, or the fields of its form with the names of the files. */
export async function sentBy(call: OperationCall | undefined): Promise<JsonObject> {
  if (call?.body.type === "json") return structuredClone(call.body.json)
  if (call?.body.type !== "bytes") throw new Error("nothing is sent")
  const { bytes, contentType } = call.body
  const body = typeof bytes === "function" ? bytes() : bytes
  const form = await new Response(body, { headers: { "content-type": contentType } }).formData()
  const entries = form as unknown as Iterable<readonly [string, string | File]>
  const sent: JsonObject = {}
  for (const [name, value] of entries) {
    const shown = typeof value === "string" ? value : `${value.name} ${value.type} ${value.size}`
    const before = sent[name]
    sent[name] = before === undefined ? shown : [...[before].flat(), shown]
  }
  return sent
}

/** Returns the request to a vendor, and its losses. */
export async function asked(vendor: string, model: string, changes: Partial<ImageRequest> = {}) {
  const { calls, losses } = imagesOf(vendor).encode(requestOf(changes), model)
  return {
    paths: calls.map(({ path }) => path),
    bodies: await Promise.all(calls.map(sentBy)),
    losses: losses.map(({ name, effect }) => `${name}:${effect}`),
  }
}

/** Returns a response with a JSON body. */
export function responseOf(json: unknown): OperationResponse {
  return { headers: new Headers(), bytes: new TextEncoder().encode(JSON.stringify(json)) }
}
