import type { ServicePath } from "#contract/service-routes.ts"
import { afterCharge } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { Call } from "../../relay/request/call.ts"
import { type ErrorAnswer, errorAnswer } from "../answers.ts"
import { serve } from "../endpoint.ts"
import type { Route } from "../server.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { type BodyPurpose, callOf, type Calls } from "./calls.ts"
import type { GooglePath } from "./google-address.ts"

/** What goes back. It is paid for. */
export interface JsonOperationAnswer {
  /** Puts it into the words of its endpoint. */
  readonly encode: () => JsonObject
  readonly headers: Readonly<Record<string, string>>
}

/** An operation that takes JSON and answers with JSON. */
export interface JsonOperation {
  readonly path: ServicePath | GooglePath
  readonly calls: Calls
  readonly purpose: Omit<BodyPurpose, "path">
  /** In OpenAI's envelope where none is given. */
  readonly errors?: ErrorAnswer
  readonly perform: (call: Call, body: JsonObject, request: Request) => Promise<JsonOperationAnswer>
}

/** Its endpoint. */
export function jsonOperation(operation: JsonOperation): Route {
  const { path, calls, purpose, errors = errorAnswer, perform } = operation
  return serve(
    {
      method: "POST",
      path,
      auth: calls.callerAuth,
      body: calls.json({ path, ...purpose }),
      errors,
      async handle(context, { json, bytes }) {
        const taken = takePreferences(json)
        const call = callOf(context, bytes, taken)
        const answer = await perform(call, taken.body, context.request)
        const headers = { "content-type": "application/json", ...answer.headers }
        const encoded = afterCharge(() => answer.encode())
        const body = isLargeJson(encoded)
          ? await jsonBytesInSlices(encoded)
          : JSON.stringify(encoded)
        return { headers, body }
      },
    },
    calls.events,
  )
}
