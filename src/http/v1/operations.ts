import { EMBEDDINGS } from "./embeddings.ts"
import { IMAGE_EDITS, IMAGE_GENERATIONS, IMAGE_VARIATIONS } from "./images.ts"
import type { OperationEndpoint } from "./operation-endpoint.ts"
import { TRANSCRIPTIONS, TRANSLATIONS } from "./transcriptions.ts"
import { decodeSpeech } from "../../dialects/speech/request.ts"
import { takePreferences } from "../../relay/routing-preferences/read-preferences.ts"
import { serve } from "../endpoint.ts"
import { callOf } from "./calls.ts"
import {
  decodeChatModerationRequest,
  decodeModerationRequest,
} from "../../dialects/moderation/request.ts"
import { encodeModeration } from "../../dialects/moderation/result.ts"
import { type JsonOperation, jsonOperation } from "./json-operation.ts"
import type { JsonObject } from "../../canon/json.ts"
import { decodeRerankRequest } from "../../dialects/rerank/request.ts"
import { cohereMeta, type DocumentForm, encodeRerankResult } from "../../dialects/rerank/result.ts"

const RERANK = rerankAt("/v1/rerank", "1", "supplied")

/** The endpoint for newer clients of Cohere, which expect documents as objects. */
const COHERE_RERANK = rerankAt("/v2/rerank", "2", "objects")

function rerankAt(
  path: "/v1/rerank" | "/v2/rerank",
  version: "1" | "2",
  form: DocumentForm,
): OperationEndpoint {
  return jsonOperation({
    path,
    purpose: { kind: "rerank" },
    decode: decodeRerankRequest,
    plan: ({ rerank }, call, { request }) => rerank.plan(call, request),
    async perform({ rerank }, { call, request: input, caller }) {
      const { value, headers } = await rerank.rerank(call, input.request, caller)
      const encode = (): JsonObject => {
        const result = encodeRerankResult(input, value.ranking, form)
        return { id: call.id, ...result, meta: cohereMeta(version, value.usage) }
      }
      return { encode, headers }
    },
  })
}

const MODERATIONS = moderationsAt("/v1/moderations", decodeModerationRequest)

/** The endpoint in Mistral's format for moderating conversations. */
const CHAT_MODERATIONS = moderationsAt("/v1/chat/moderations", decodeChatModerationRequest)

function moderationsAt(
  path: OperationEndpoint["path"],
  decode: JsonOperation<ReturnType<typeof decodeModerationRequest>>["decode"],
): OperationEndpoint {
  return jsonOperation({
    path,
    purpose: { kind: "moderation" },
    decode,
    plan: ({ moderation }, call, request) => moderation.plan(call, request),
    async perform({ moderation }, { call, request, caller }) {
      const { value, headers, deployment } = await moderation.moderate(call, request, caller)
      const model = deployment.member?.name ?? request.model
      const encode = () => encodeModeration({ id: call.id, model }, value.verdicts, value.usage)
      return { encode, headers }
    },
  })
}

const PATH = "/v1/audio/speech"

/** Generates speech from a text. The audio is forwarded as it arrives. */
const SPEECH: OperationEndpoint = {
  path: PATH,
  serve: (calls, { performers }) =>
    serve(
      {
        method: "POST",
        path: PATH,
        auth: calls.callerAuth,
        body: calls.json({ path: PATH, kind: "speech" }),
        async handle(context, { json, bytes }) {
          const taken = takePreferences(json)
          const call = callOf(context, bytes, taken)
          return performers.speech.answer(call, decodeSpeech(taken.body), context.request)
        },
      },
      calls.events,
    ),
  plan: ({ call, body }, { performers }) => [performers.speech.plan(call, decodeSpeech(body))],
}

/** The endpoints of all operations other than chat. Each endpoint supports idempotency keys and estimates. */
export const OPERATION_ENDPOINTS: readonly OperationEndpoint[] = [
  EMBEDDINGS,
  RERANK,
  COHERE_RERANK,
  IMAGE_GENERATIONS,
  IMAGE_EDITS,
  IMAGE_VARIATIONS,
  SPEECH,
  TRANSCRIPTIONS,
  TRANSLATIONS,
  MODERATIONS,
  CHAT_MODERATIONS,
]
