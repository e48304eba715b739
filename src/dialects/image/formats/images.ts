import { GatewayError, type GatewayErrorDetails } from "../../../canon/errors.ts"
import type { Image, ImageResult } from "../../../canon/image.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  textAt,
} from "../../../canon/json.ts"
import { totalOutput, type Usage, usageOfCalls } from "../../../canon/usage.ts"

/** Matches the beginning of a data URL, which some servers send before the base64. */
const DATA_URL = /^data:[^,]{0,100},/

/** Maximum images that are read from a response, several times the number that can be requested. */
const MAX_IMAGES = 1_000

/** Returns the list of images in a member. Images beyond the maximum are dropped, because they were not requested. */
export function imageListAt(object: JsonObject, key: string): readonly JsonValue[] {
  return listAt(object, key).slice(0, MAX_IMAGES)
}

/** Returns the images of a response in OpenAI's form: `data[]` with `b64_json` or `url`. */
export function imagesOfData(response: JsonObject): Image[] {
  return imageListAt(response, "data").flatMap((entry) => {
    if (!isJsonObject(entry)) return []
    const data = textAt(entry, "b64_json")?.replace(DATA_URL, "")
    const url = textAt(entry, "url")
    if (data !== undefined) return [image({ type: "base64", data }, entry)]
    return url === undefined ? [] : [image({ type: "url", url }, entry)]
  })
}

function image(source: Image["source"], entry: JsonObject): Image {
  const revisedPrompt = textAt(entry, "revised_prompt")
  return { source, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) }
}

export function base64Image(data: string): Image {
  return { source: { type: "base64", data } }
}

/** Returns an image that is the entire body of a response. */
export function bytesImage(bytes: Uint8Array<ArrayBuffer>): Image {
  return base64Image(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
  )
}

/**
 * Returns the error for a response without an image. Usually, the vendor's safety rules forbid the image.
 * @param reason the reason in the vendor's words.
 * @param usage the usage of a response that may consist of text.
 */
export function forbidden(reason: string | undefined, usage?: Usage): GatewayError {
  const words = reason === undefined ? "" : ` Its reason: ${reason.slice(0, 500)}`
  return new GatewayError(
    "rejected_by_upstream",
    `The provider generated no image for this request.${words}`,
    { upstream: { status: 400, code: "content_policy_violation" }, ...billedText(usage) },
  )
}

/** Marks a response without an image as billed if its provider reports output, which is then text. */
export function billedText(usage: Usage | undefined): GatewayErrorDetails {
  if (usage === undefined || totalOutput(usage) === 0) return {}
  // Without details, all output was counted as images.
  const { output, imageOutput } = usage
  const ofText = { ...usage, output: output + imageOutput, imageOutput: 0 }
  return { providerError: "generation", billedResponse: { usage: ofText } }
}

/**
 * Returns the total usage of all calls, if each call reported its usage. If there are several calls, also returns the
 * usage of each call.
 */
export function usageOfResponses(
  responses: readonly { readonly images: readonly Image[]; readonly usage: Usage | undefined }[],
): Pick<ImageResult, "usage" | "calls"> {
  const usage = usageOfCalls(responses.map((response) => response.usage))
  const calls = responses.map((response) => ({
    images: response.images.length,
    ...(response.usage && { usage: response.usage }),
  }))
  return { ...(usage && { usage }), ...(calls.length > 1 && { calls }) }
}
