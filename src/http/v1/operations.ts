import { EMBEDDINGS } from "./embeddings.ts"
import { IMAGE_EDITS, IMAGE_GENERATIONS, IMAGE_VARIATIONS } from "./images.ts"
import { chargedResponse, jsonOperation, type OperationEndpoint } from "./operation-endpoint.ts"
import { TRANSCRIPTIONS, TRANSLATIONS } from "./transcriptions.ts"
import { decodeSpeech } from "../../dialects/speech/request.ts"
import {
  decodeChatModerationRequest,
  decodeModerationRequest,
} from "../../dialects/moderation/request.ts"
import { encodeModeration } from "../../dialects/moderation/result.ts"
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
    async perform({ performers: { rerank } }, { call, request: input, context }) {
      const { value, headers } = await rerank.rerank(call, input.request, context.request)
      return chargedResponse(headers, () => {
        const result = encodeRerankResult(input, value.ranking, form)
        return { id: call.id, ...result, meta: cohereMeta(version, value.usage) }
      })
    },
  })
}

const MODERATIONS = moderationsAt("/v1/moderations", decodeModerationRequest)

/** The endpoint in Mistral's format for moderating conversations. */
const CHAT_MODERATIONS = moderationsAt("/v1/chat/moderations", decodeChatModerationRequest)

function moderationsAt(
  path: OperationEndpoint["path"],
  decode: typeof decodeModerationRequest,
): OperationEndpoint {
  return jsonOperation({
    path,
    purpose: { kind: "moderation" },
    decode,
    plan: ({ moderation }, call, request) => moderation.plan(call, request),
    async perform({ performers: { moderation } }, { call, request, context }) {
      const open = await moderation.moderate(call, request, context.request)
      const { value, headers, deployment } = open
      const model = deployment.member?.name ?? request.model
      return chargedResponse(headers, () =>
        encodeModeration({ id: call.id, model }, value.verdicts, value.usage),
      )
    },
  })
}

/** Generates speech from a text. The audio is forwarded as it arrives. */
const SPEECH = jsonOperation({
  path: "/v1/audio/speech",
  purpose: { kind: "speech" },
  decode: decodeSpeech,
  plan: ({ speech }, call, request) => speech.plan(call, request),
  perform: ({ performers: { speech } }, { call, request, context }) =>
    speech.respond(call, request, context.request),
})

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
