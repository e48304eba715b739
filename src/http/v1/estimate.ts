import type { ServicePath } from "#contract/service-routes.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { invalidValue, missingParameter } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import type { Operations } from "../../relay/operations/operations.ts"
import type { Estimate } from "../../relay/pipeline/estimate.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { jsonResponse } from "../responses.ts"
import type { Route } from "../server.ts"
import { callOf, type Calls } from "./calls.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"
import { BATCH_EMBED_CONTENTS, EMBED_CONTENT } from "./embeddings.ts"
import { estimateDocument } from "./estimate-document.ts"
import { rejectLongLists } from "./field-limits.ts"
import { GOOGLE_METHODS, googlePath, readGoogleAddress } from "./google-address.ts"
import type { EstimatedCall, OperationEndpoint, OperationParts } from "./operation-endpoint.ts"
import { OPERATION_ENDPOINTS } from "./operations.ts"

const ESTIMATE_PATH: ServicePath = "/v1/estimate"

export interface EstimateServices extends OperationParts {
  readonly chats: readonly ChatEndpoint[]
  readonly relay: ChatRelay
  readonly operations: Operations
}

type Estimator = (estimated: EstimatedCall & { readonly headers: Headers }) => Promise<Estimate>

/**
 * Estimates the cost and the route of a request. It runs the same code as the request up to the hold, but makes no
 * upstream call.
 */
export function estimate(calls: Calls, services: EstimateServices): Route {
  const estimators = estimatorsOf(services)
  return calls.run({
    path: ESTIMATE_PATH,
    body: calls.json({ path: ESTIMATE_PATH }),
    async handle(context, { json, isAscii }) {
      const { request, id } = context
      const { path: wanted, body: written } = readMembers(json)
      const [path = ""] = wanted.split("?", 1)
      const endpoint = endpointAt(path)
      const estimator = estimators.get(endpoint)
      if (!estimator) throw unknownPath(path, [...estimators.keys()])
      const bytes = await bytesOf(written)
      rejectLongLists(written, endpoint, bytes)
      const { headers } = request
      const { body, preferences } = takePreferences(written)
      const call = {
        ...callOf({ ...context, path: endpoint }, bytes, {
          body: undefined,
          labelled: body,
          preferences,
          isAscii,
        }),
        isEstimate: true as const,
      }
      const found = await estimator({ call, path, body, headers })
      return jsonResponse(id, estimateDocument(path, found, call))
    },
  })
}

/** Returns the size of the estimated request's body in bytes. A large body is serialized in slices. */
async function bytesOf(body: JsonObject): Promise<number> {
  if (isLargeJson(body)) return (await jsonBytesInSlices(body)).byteLength
  return Buffer.byteLength(JSON.stringify(body))
}

function estimatorsOf(services: EstimateServices): ReadonlyMap<string, Estimator> {
  const { chats, relay, operations } = services
  const chat = (usual: ChatEndpoint): [string, Estimator] => [
    usual.path,
    ({ call, path, body: written, headers }) => {
      const endpoint = usual.inForm?.(headers) ?? usual
      const body = endpoint.bodyAt ? endpoint.bodyAt(written, path) : written
      const forwarded = endpoint.forwarded?.(headers)
      const bodyBytes = call.bodyBytes + (endpoint.addedBytes ?? 0)
      return relay.estimate(endpoint.dialect, { ...call, body, bodyBytes, forwarded })
    },
  ]
  const operation = (endpoint: OperationEndpoint): [string, Estimator] => [
    endpoint.path,
    async (estimated) => operations.estimate(await endpoint.plan(estimated, services)),
  ]
  return new Map<string, Estimator>([
    ...chats.map(chat),
    ...[...OPERATION_ENDPOINTS, EMBED_CONTENT, BATCH_EMBED_CONTENTS].map(operation),
  ])
}

/** Returns the endpoint of a path. Paths of Google's clients contain the model. */
function endpointAt(path: string): string {
  const address = readGoogleAddress(path)
  const method = GOOGLE_METHODS.find((known) => known === address?.method)
  return method === undefined ? path : googlePath(method)
}

/**
 * Reads the members `path` and `body`.
 * @throws GatewayError
 */
function readMembers({ path, body }: JsonObject): { path: string; body: JsonObject } {
  if (path === undefined) throw missingParameter("path")
  if (typeof path !== "string") {
    throw invalidValue("path", "'path' is the path of an endpoint, such as /v1/chat/completions.")
  }
  if (body === undefined) throw missingParameter("body")
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidValue("body", "'body' is the JSON object that would be sent to the endpoint.")
  }
  return { path, body }
}

function unknownPath(path: string, known: readonly string[]): GatewayError {
  return invalidValue(
    "path",
    `Nothing is charged at '${path.slice(0, 100)}'. 'path' must be one of ${known.join(", ")}.`,
  )
}
