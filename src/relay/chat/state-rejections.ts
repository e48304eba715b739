import type { ResponseHeaders } from "../../canon/operation.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, objectAt, textAt } from "../../canon/json.ts"
import type { StateReference } from "../../canon/vendor-state.ts"
import { vendorRejection } from "../../canon/vendor-error.ts"
import type { RejectionReader } from "../upstream/rejection.ts"

const NOT_FOUND = 404

/**
 * Reads rejections of requests that refer to vendor state. No other deployment is tried, because only the caller can
 * correct a reference to missing or expired state. A rejection of an unknown model or address is still a failure of the
 * vendor.
 */
export class StateRejections implements RejectionReader {
  readonly #vendor: RejectionReader
  readonly #references: readonly StateReference[]

  constructor(vendor: RejectionReader, references: readonly StateReference[]) {
    this.#vendor = vendor
    this.#references = references
  }

  decodeError(status: number, body: unknown, headers: ResponseHeaders): GatewayError {
    const error = this.#vendor.decodeError(status, body, headers)
    if (status !== NOT_FOUND || error.kind !== "upstream_error" || !isJsonObject(body)) return error
    const reported = objectAt(body, "error")
    if (reported === undefined || !this.#isAboutState(reported)) return error
    const [message, type, code, parameter] = ["message", "type", "code", "param"].map((name) =>
      textAt(reported, name),
    )
    const rejection = vendorRejection(400, {
      ...(message === undefined ? {} : { message }),
      ...(type === undefined ? {} : { type }),
      ...(code === undefined ? {} : { code }),
      ...(parameter === undefined ? {} : { parameter }),
    })
    if (rejection.kind !== "rejected_by_upstream") return error
    const details = objectAt(reported, "details")
    return new GatewayError(rejection.kind, rejection.message, {
      ...rejection.details,
      upstream: { ...rejection.details.upstream, status: NOT_FOUND },
      ...(details === undefined ? {} : { fields: { details } }),
    })
  }

  #isAboutState(reported: JsonObject): boolean {
    const message = textAt(reported, "message") ?? ""
    if (this.#references.some(({ id }) => message.includes(id))) return true
    // Anthropic's error for a missing thread.
    if (textAt(objectAt(reported, "details") ?? {}, "error_code") === "thread_not_found")
      return true
    const parameter = textAt(reported, "param")
    return this.#references.some(({ path }) => parameter === path || parameter === rootOf(path))
  }
}

/** Returns the top-level field of a path. */
function rootOf(path: string): string {
  return /^\w+/.exec(path)?.[0] ?? path
}
