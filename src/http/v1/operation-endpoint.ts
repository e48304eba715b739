import { afterCharge } from "../../canon/errors.ts"
import {
  isLargeJson,
  joinPieces,
  jsonBytesInSlices,
  type JsonPiece,
} from "../../canon/sliced-json-text.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { type ErrorResponse, errorResponse } from "../responses.ts"
import type { ServicePath } from "#contract/service-routes.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import type { MediaInspector } from "../../media/media-inspector.ts"
import type { OperationPlan } from "../../relay/operations/operation-plan.ts"
import type { Performers } from "../../relay/operations/performers.ts"
import type { EndpointResponse, Call } from "../../relay/request/call.ts"
import type { Route } from "../server.ts"
import { type BodyPurpose, type CallContext, callOf, type Calls } from "./calls.ts"
import type { GooglePath } from "./google-address.ts"

/** The rules for image edits, from the specification or the provider. */
export interface EditRules {
  readonly needsMask: boolean
  /** Whether the model decides on masks, shapes, formats and sizes. */
  readonly isByProvider: boolean
}

/** Services that the endpoints of operations use. */
export interface OperationParts {
  readonly performers: Performers
  readonly inspector: MediaInspector
  /** Returns the public address, if the operator has configured it. */
  readonly publicUrl: () => string | undefined
  readonly editRules: () => EditRules
  /** Returns the gateway's listening address. */
  readonly ownUrl: () => string
}

/** A request to be estimated, in the format that its endpoint receives. */
export interface EstimatedCall {
  readonly call: Call
  /** The path of the request's endpoint. */
  readonly path: string
  readonly body: JsonObject
}

/** An endpoint of an operation other than chat. */
export interface OperationEndpoint {
  readonly path: ServicePath | GooglePath
  /** Builds the route of the endpoint. */
  readonly serve: (calls: Calls, parts: OperationParts) => Route
  /**
   * Returns the plans from which the request is estimated.
   * @throws GatewayError
   */
  readonly plan: (
    estimated: EstimatedCall,
    parts: Pick<OperationParts, "performers" | "editRules">,
  ) => MaybePromise<readonly OperationPlan[]>
}

interface JsonOperation<Request> {
  readonly path: OperationEndpoint["path"]
  readonly purpose: Omit<BodyPurpose, "path">
  /** Builds errors; if absent, in OpenAI's envelope. */
  readonly errors?: ErrorResponse
  /**
   * Decodes the body.
   * @param url URL of the request, or its path.
   * @throws GatewayError
   */
  readonly decode: (body: JsonObject, url: string) => Request
  readonly plan: (
    performers: Performers,
    call: Call,
    request: Request,
  ) => MaybePromise<OperationPlan>
  readonly perform: (
    parts: OperationParts,
    received: {
      readonly call: Call
      readonly request: Request
      readonly context: Pick<CallContext, "request" | "connection">
    },
  ) => Promise<EndpointResponse>
}

export function jsonOperation<Request>(operation: JsonOperation<Request>): OperationEndpoint {
  const { path, purpose, errors = errorResponse, decode, plan, perform } = operation
  return {
    path,
    serve: (calls, parts) =>
      calls.run({
        path,
        body: calls.json({ path, ...purpose }),
        errors,
        handle(context, { json, bytes }) {
          const taken = takePreferences(json)
          const call = callOf(context, bytes, taken)
          const request = decode(taken.body, context.request.url)
          return perform(parts, { call, request, context })
        },
      }),
    plan: async ({ call, body, path: address }, { performers }) => [
      await plan(performers, call, decode(body, address)),
    ],
  }
}

/**
 * Builds the response of an operation that has been charged.
 * @param encode returns the body in the endpoint's format, as a value or as the pieces of its text.
 */
export async function chargedResponse(
  headers: Record<string, string>,
  encode: () => JsonObject | Generator<JsonPiece>,
): Promise<EndpointResponse> {
  headers["content-type"] = "application/json"
  return { headers, body: await bodyOf(afterCharge(encode)) }
}

async function bodyOf(
  encoded: JsonObject | Generator<JsonPiece>,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (isGenerator(encoded)) return await joinPieces(encoded)
  return isLargeJson(encoded) ? await jsonBytesInSlices(encoded) : JSON.stringify(encoded)
}

function isGenerator(value: object): value is Generator<JsonPiece> {
  return Symbol.iterator in value
}
