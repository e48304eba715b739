import type { Loss } from "./extra.ts"
import type { GatewayError } from "./errors.ts"
import type { JsonObject, JsonValue } from "./json.ts"
import type { Usage } from "./usage.ts"

/** The request body: JSON, or bytes of another type (a form, audio). */
export type OperationBody =
  | { readonly type: "json"; readonly json: JsonObject }
  | {
      readonly type: "bytes"
      /** The content type, with the boundary if the body is a form. */
      readonly contentType: string
      /** The bytes, or a function that returns a new stream for each attempt. */
      readonly bytes: Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>)
    }

/** The headers of a response, with names in lowercase. */
export type ResponseHeaders = Pick<Headers, "get">

/** One upstream call of an operation, without the provider's address and signature. */
export interface OperationCall {
  /** Path and query, relative to the provider's base URL. */
  readonly path: string
  readonly body: OperationBody
  /** Headers in addition to the headers of the credential, such as `accept`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Number of results that the call requests. Default: 1. */
  readonly results?: number
}

/** An operation in the form in which it is sent to one vendor, with its losses. */
export interface EncodedOperation {
  /** The calls to send. An operation has several calls if the vendor accepts less per call than was requested. */
  readonly calls: readonly OperationCall[]
  readonly losses: readonly Loss[]
}

/** Reads the usage of a response that is too large or too complex to be decoded. */
export interface UsageReader {
  /**
   * Returns the reported usage; absent if the vendor never reports any.
   * @param members the members of the response that may contain it (relay/upstream/usage-members.ts).
   */
  usageIn?(members: JsonObject): Usage | undefined
}

/**
 * Encodes and decodes one operation (embedding, rerank, image, speech, transcription) for one family of vendors. It is
 * independent of addresses, keys and prices.
 */
export interface OperationFormat<Request, Result> extends UsageReader {
  /**
   * The name of the members that `decode` accepts as `LongValue`s, because their JSON may be passed on; absent if it
   * reads all values.
   */
  readonly longMember?: string
  /**
   * Encodes a request for a model.
   * @param model the vendor's own name for the model.
   * @throws GatewayError if the vendor does not support the request.
   */
  encode(request: Request, model: string): EncodedOperation
  /**
   * Decodes the responses to all calls of an operation.
   * @param responses one response for each call, in the order of the calls.
   * @throws GatewayError `upstream_error`.
   */
  decode(responses: readonly OperationResponse[], request: Request): Result | Promise<Result>
  /**
   * Decodes an error response.
   * @param body the parsed JSON, or text if the body is not JSON.
   */
  decodeError(status: number, body: unknown, headers: ResponseHeaders): GatewayError
}

/** A vendor's complete response to one call. */
export interface OperationResponse {
  readonly headers: ResponseHeaders
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The parsed value; absent if the response has not been parsed, or is not JSON. */
  readonly json?: JsonValue | undefined
  /** Decodes an error that the vendor sent with a success status. */
  readonly decodeError?: (status: number, body: unknown, headers: ResponseHeaders) => GatewayError
}
