import { afterCharge } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { MaybePromise } from "../../canon/maybe-promise.ts"
import {
  isLargeJson,
  joinPieces,
  jsonBytesInSlices,
  type JsonPiece,
} from "../../canon/sliced-json-text.ts"
import type { OperationPlan } from "../../relay/operations/operation-plan.ts"
import type { Performers } from "../../relay/operations/performers.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import type { Call, Caller } from "../../relay/request/call.ts"
import { type ErrorAnswer, errorAnswer } from "../answers.ts"
import { serve } from "../endpoint.ts"
import { type BodyPurpose, callOf } from "./calls.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"

/** A response that has been charged. */
export interface JsonOperationAnswer {
  /** Encodes the response in the endpoint's format, as a value or as the pieces of its text. */
  readonly encode: () => JsonObject | Generator<JsonPiece>
  readonly headers: Readonly<Record<string, string>>
}

/** An operation with a JSON request and a JSON response. */
export interface JsonOperation<Request> {
  readonly path: OperationEndpoint["path"]
  readonly purpose: Omit<BodyPurpose, "path">
  /** Builds errors; if absent, in OpenAI's envelope. */
  readonly errors?: ErrorAnswer
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
    performers: Performers,
    asked: { readonly call: Call; readonly request: Request; readonly caller: Caller },
  ) => Promise<JsonOperationAnswer>
}

/** Builds the endpoint of an operation with a JSON request. */
export function jsonOperation<Request>(operation: JsonOperation<Request>): OperationEndpoint {
  const { path, purpose, errors = errorAnswer, decode, plan, perform } = operation
  return {
    path,
    serve: (calls, { performers }) =>
      serve(
        {
          method: "POST",
          path,
          auth: calls.callerAuth,
          body: calls.json({ path, ...purpose }),
          errors,
          async handle(context, { json, bytes }) {
            const taken = takePreferences(json)
            const call = callOf(context, bytes, taken)
            const caller = context.request
            const request = decode(taken.body, caller.url)
            const answer = await perform(performers, { call, request, caller })
            const headers = { "content-type": "application/json", ...answer.headers }
            return { headers, body: await bodyOf(afterCharge(() => answer.encode())) }
          },
        },
        calls.events,
      ),
    plan: async ({ call, body, path: address }, { performers }) => [
      await plan(performers, call, decode(body, address)),
    ],
  }
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
