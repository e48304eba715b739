import type { ServicePath } from "#contract/service-routes.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import type { ChatCall } from "../../relay/request/call.ts"
import type { ReceivedBody } from "../read-body.ts"
import type { Route } from "../server.ts"
import type { GooglePath } from "./google-address.ts"
import { type CallContext, callOf, type Calls } from "./calls.ts"
import { errorsIn } from "./dialect-errors.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"

export interface ChatEndpoint {
  readonly path: ServicePath | GooglePath
  readonly dialect: ClientDialect
  /**
   * Prepares the body for the dialect, if the address contains a part of the request or the body contains data for the
   * gateway.
   * @param url URL of the request, or its path.
   */
  bodyAt?(json: JsonObject, url: string): JsonObject
  /** Maximum bytes that `bodyAt` adds; zero if absent. */
  readonly addedBytes?: number
  /**
   * Returns the endpoint that responds instead if a header selects a different format.
   * @throws GatewayError
   */
  inForm?(headers: Headers): ChatEndpoint | undefined
  /** Returns the caller's headers that are forwarded to vendors with the same dialect. */
  forwarded?(headers: Headers): Readonly<Record<string, string>> | undefined
}

export function chatEndpoint(usual: ChatEndpoint, calls: Calls, relay: ChatRelay): Route {
  const route = calls.run({
    path: usual.path,
    body: calls.json({ path: usual.path, kind: "chat" }),
    errors: errorsIn(usual.dialect),
    handle(context, body) {
      const { request } = context
      const endpoint = usual.inForm?.(request.headers) ?? usual
      return relay.chat(endpoint.dialect, chatCallOf(endpoint, context, body), request)
    },
  })
  return { ...route, encodeBreak: usual.dialect.encodeBreak }
}

function chatCallOf(
  endpoint: ChatEndpoint,
  context: CallContext,
  { json, bytes, isAscii }: ReceivedBody,
): ChatCall {
  const { headers, url } = context.request
  const { body, preferences } = takePreferences(endpoint.bodyAt ? endpoint.bodyAt(json, url) : json)
  const forwarded = endpoint.forwarded?.(headers)
  const bodyBytes = bytes + (endpoint.addedBytes ?? 0)
  return callOf(context, bodyBytes, { body, labelled: json, preferences, isAscii, forwarded })
}
