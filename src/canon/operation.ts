import type { Loss } from "./extra.ts"
import type { GatewayError } from "./errors.ts"
import type { JsonObject, JsonValue } from "./json.ts"

/** The body that is sent: JSON, or bytes of another type (a form, audio). */
export type OperationBody =
  | { readonly type: "json"; readonly json: JsonObject }
  | {
      readonly type: "bytes"
      /** With the boundary, where it is a form. */
      readonly contentType: string
      /** A function gives a stream again for each attempt. */
      readonly bytes: Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>)
    }

/** One upstream call of an operation: all but where the provider is and how it signs. */
export interface OperationCall {
  /** Path, and query, below the provider's base address. */
  readonly path: string
  readonly body: OperationBody
  /** Headers besides the credential's, such as `accept`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An operation as it is sent to one vendor, and what of it cannot be carried there. */
export interface EncodedOperation {
  /** Several where a vendor accepts less per call than was requested. */
  readonly calls: readonly OperationCall[]
  readonly losses: readonly Loss[]
}

/**
 * How one family of vendors performs one operation (embedding, rerank, image, speech, transcription). It knows
 * no address, no key and no price.
 */
export interface OperationFormat<Request, Result> {
  /** @param model the vendor's own name for it. @throws GatewayError when the vendor cannot do it at all. */
  encode(request: Request, model: string): EncodedOperation
  /** @param answers one for each call, in their order. @throws GatewayError `upstream_error`. */
  decode(answers: readonly OperationAnswer[], request: Request): Result | Promise<Result>
  /** @param body parsed when it is JSON, text when not. */
  decodeError(status: number, body: unknown, headers: Headers): GatewayError
}

/** A vendor's answer to one call, read whole. */
export interface OperationAnswer {
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  /** What a long answer of JSON holds: it is parsed in slices. */
  readonly json?: JsonValue | undefined
  /** Reads an error that it holds in spite of its good status. */
  readonly decodeError?: (status: number, body: unknown, headers: Headers) => GatewayError
}
