import type { ServicePath } from "#contract/service-routes.ts"
import type { GatewayError } from "../../canon/errors.ts"
import { invalidValue, missingParameter } from "../../canon/invalid-request.ts"
import type { JsonObject } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import { decodeEmbeddingRequest } from "../../dialects/embedding/request/openai.ts"
import { decodeImageParameters } from "../../dialects/image/request.ts"
import { decodeRerankRequest } from "../../dialects/rerank/request.ts"
import { decodeSpeech } from "../../dialects/speech/request.ts"
import { decodeTranscription, withAudio } from "../../dialects/transcription/request.ts"
import type { Call } from "../../relay/request/call.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import type { Estimate } from "../../relay/pipeline/estimate.ts"
import type { Images } from "../../relay/operations/image/images.ts"
import type { Operations } from "../../relay/operations/operations.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import type { Reranking } from "../../relay/operations/rerank/rerank.ts"
import type { Speech } from "../../relay/operations/speech/speech.ts"
import type { Transcriptions } from "../../relay/operations/transcription/transcriptions.ts"
import { jsonAnswer } from "../answers.ts"
import { serve } from "../endpoint.ts"
import type { Route } from "../server.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { callOf, type Calls } from "./calls.ts"
import { labelsOf } from "./labels.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"
import { EMBEDDINGS_PATH } from "./embeddings.ts"
import { estimateDocument } from "./estimate-document.ts"
import { readDescribedAudio, withDescribedImages, withoutFiles } from "./estimate-files.ts"
import { refuseLongLists } from "./field-limits.ts"
import { embeddingAt } from "./embed-content.ts"
import { GOOGLE_METHODS, googlePath, readGoogleAddress } from "./google-address.ts"
import {
  type EditRules,
  EDITS_PATH,
  GENERATIONS_PATH,
  requireMask,
  VARIATIONS_PATH,
} from "./images.ts"
import { COHERE_RERANK_PATH, RERANK_PATH } from "./rerank.ts"
import { SPEECH_PATH } from "./speech.ts"
import { TRANSCRIPTIONS_PATH, TRANSLATIONS_PATH } from "./transcriptions.ts"

/** `POST /v1/estimate` */
export const ESTIMATE_PATH: ServicePath = "/v1/estimate"

export interface EstimateServices {
  readonly chats: readonly ChatEndpoint[]
  readonly relay: ChatRelay
  readonly operations: Operations
  readonly embeddings: Embeddings
  readonly reranking: Reranking
  readonly images: Images
  readonly editRules: () => EditRules
  readonly speaking: Speech
  readonly transcribing: Transcriptions
}

/** A call as its endpoint would make it, to be estimated. */
interface EstimatedCall {
  readonly call: Call
  /** Where the request would be sent. */
  readonly path: string
  readonly body: JsonObject
  readonly headers: Headers
}

type Estimator = (estimated: EstimatedCall) => Promise<Estimate>

/**
 * Says what a request would cost and where it would go. It runs through the same code as the request
 * itself up to where money would be held, spends nothing and calls no one.
 */
export function estimate(calls: Calls, services: EstimateServices): Route {
  const estimators = estimatorsOf(services)
  return serve(
    {
      method: "POST",
      path: ESTIMATE_PATH,
      auth: calls.callerAuth,
      body: calls.json({ path: ESTIMATE_PATH }),
      async handle(context, { json, isAscii }) {
        const { request, id } = context
        const { path: wanted, body: written } = readMembers(json)
        const [path = ""] = wanted.split("?", 1)
        const endpoint = endpointAt(path)
        const estimator = estimators.get(endpoint)
        if (!estimator) throw unknownPath(path, [...estimators.keys()])
        const bytes = await bytesOf(written)
        refuseLongLists(written, endpoint, bytes)
        const { headers } = request
        const { body, preferences } = takePreferences(written)
        const call = {
          ...callOf({ ...context, path: endpoint }, bytes, { preferences }),
          labels: labelsOf(headers, body),
          isEstimate: true as const,
          isAscii,
        }
        const found = await estimator({ call, path, body, headers })
        return jsonAnswer(id, estimateDocument(path, found))
      },
    },
    calls.events,
  )
}

/** The size of the body of the estimated request. A long one is written in slices. */
async function bytesOf(body: JsonObject): Promise<number> {
  if (isLargeJson(body)) return (await jsonBytesInSlices(body)).byteLength
  return Buffer.byteLength(JSON.stringify(body))
}

function estimatorsOf(services: EstimateServices): ReadonlyMap<string, Estimator> {
  const { chats, relay, operations, embeddings, reranking } = services
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
  const rerank: Estimator = ({ call, body }) =>
    operations.estimate([reranking.plan(call, decodeRerankRequest(body).request)])
  return new Map<string, Estimator>([
    ...chats.map(chat),
    [
      EMBEDDINGS_PATH,
      async ({ call, body }) =>
        operations.estimate([await embeddings.plan(call, decodeEmbeddingRequest(body))]),
    ],
    [RERANK_PATH, rerank],
    [COHERE_RERANK_PATH, rerank],
    ...(["embedContent", "batchEmbedContents"] as const).map((method): [string, Estimator] => [
      googlePath(method),
      async ({ call, path, body }) =>
        operations.estimate([await embeddings.plan(call, embeddingAt(method, body, path))]),
    ]),
    ...imageEstimators(services),
    ...soundEstimators(services),
  ])
}

function imageEstimators(services: EstimateServices): [string, Estimator][] {
  const { operations, images } = services
  return [
    [
      GENERATIONS_PATH,
      async ({ call, body }) => {
        const request = { ...decodeImageParameters("generation", body), images: [] }
        return operations.estimate([images.plan({ call, model: request.model, request })])
      },
    ],
    ...(
      [
        ["edit", EDITS_PATH],
        ["variation", VARIATIONS_PATH],
      ] as const
    ).map(([task, path]): [string, Estimator] => [
      path,
      async ({ call, body }) => {
        const parameters = decodeImageParameters(task, withoutFiles(body, "image", "mask"))
        const request = withDescribedImages(parameters, body)
        requireMask(request, services)
        return operations.estimate([images.plan({ call, model: parameters.model, request })])
      },
    ]),
  ]
}

function soundEstimators(services: EstimateServices): [string, Estimator][] {
  const { operations, speaking, transcribing } = services
  return [
    [
      SPEECH_PATH,
      async ({ call, body }) => operations.estimate([speaking.plan(call, decodeSpeech(body))]),
    ],
    ...(
      [
        ["transcribe", TRANSCRIPTIONS_PATH],
        ["translate", TRANSLATIONS_PATH],
      ] as const
    ).map(([task, path]): [string, Estimator] => [
      path,
      async ({ call, body }) => {
        const options = decodeTranscription(withoutFiles(body, "file"), task)
        const request = withAudio(options, readDescribedAudio(body["file"]))
        return operations.estimate(transcribing.plan(call, request))
      },
    ]),
  ]
}

/** The endpoint of a path: Google's clients name the model in it. */
function endpointAt(path: string): string {
  const address = readGoogleAddress(path)
  const method = GOOGLE_METHODS.find((known) => known === address?.method)
  return method === undefined ? path : googlePath(method)
}

/** The two members of the body. @throws GatewayError */
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
    `Nothing is charged at '${path.slice(0, 100)}'. 'path' takes one of ${known.join(", ")}.`,
  )
}
