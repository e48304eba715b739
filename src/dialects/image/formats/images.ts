import { GatewayError } from "../../../canon/errors.ts"
import type { Picture } from "../../../canon/image.ts"
import { isJsonObject, type JsonObject, listAt, textAt } from "../../../canon/json.ts"

/** The pictures of an answer in OpenAI's form: `data[]` with `b64_json` or `url`. */
export function picturesOfData(answer: JsonObject): Picture[] {
  return listAt(answer, "data").flatMap((entry) => {
    if (!isJsonObject(entry)) return []
    const data = textAt(entry, "b64_json")
    const url = textAt(entry, "url")
    if (data !== undefined) return [picture({ type: "base64", data }, entry)]
    return url === undefined ? [] : [picture({ type: "url", url }, entry)]
  })
}

function picture(source: Picture["source"], entry: JsonObject): Picture {
  const revisedPrompt = textAt(entry, "revised_prompt")
  return { source, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) }
}

/** A picture that came as base64. */
export function base64Picture(data: string): Picture {
  return { source: { type: "base64", data } }
}

/** A picture that is an answer's whole body. */
export function bytesPicture(bytes: Uint8Array<ArrayBuffer>): Picture {
  return base64Picture(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
  )
}

/** A vendor whose safety rules forbid the picture. @param reason in the vendor's words. */
export function forbidden(reason: string | undefined): GatewayError {
  const words = reason === undefined ? "" : ` It says: ${reason.slice(0, 500)}`
  return new GatewayError(
    "refused_by_upstream",
    `The provider made no picture of this request.${words}`,
    { upstream: { status: 400, code: "content_policy_violation" } },
  )
}
