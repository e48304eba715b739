import type { Catalog } from "../../catalog/catalog.ts"
import type { Settings } from "../../config/settings.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Rates } from "../../limits/rates.ts"
import type { ImageStore } from "../../media/image-store.ts"
import type { MediaInspector } from "../../media/media-inspector.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import type { Images } from "../../relay/operations/image/images.ts"
import type { Operations } from "../../relay/operations/operations.ts"
import type { Reranking } from "../../relay/operations/rerank/rerank.ts"
import type { Speech } from "../../relay/operations/speech/speech.ts"
import type { Transcriptions } from "../../relay/operations/transcription/transcriptions.ts"
import type { ResponseKeepers } from "../../relay/chat/state/delete-response.ts"
import type { Store } from "../../store/store.ts"
import { EarlyChecks } from "../../relay/pipeline/early-checks.ts"
import { healthz, readyz } from "../health.ts"
import { metrics } from "../metrics.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import type { Route } from "../server.ts"
import { callsOf, type Calls, type CallServices } from "./calls.ts"
import { CHAT_COMPLETIONS } from "./chat-completions.ts"
import { chatEndpoint } from "./chat-endpoint.ts"
import { MESSAGE_TOKENS, RESPONSE_TOKENS, tokenCounter } from "./count-tokens.ts"
import { getCredits } from "./credits.ts"
import { embeddings } from "./embeddings.ts"
import { estimate } from "./estimate.ts"
import { GENERATE_CONTENT, STREAM_GENERATE_CONTENT } from "./generate-content.ts"
import { googleRoutes } from "./google-routes.ts"
import { getImageFile } from "./image-files.ts"
import {
  type EditRules,
  editRulesOf,
  imageEdits,
  imageGenerations,
  imageVariations,
} from "./images.ts"
import { cancelKeptResponse, deleteKeptResponse, getKeptResponse } from "./kept-responses.ts"
import { MESSAGES } from "./messages.ts"
import { getReceipt } from "./receipts.ts"
import { repeatable } from "./repeatable.ts"
import { listSpeechModels } from "./models.ts"
import { COHERE_RERANK_PATH, rerank, RERANK_PATH } from "./rerank.ts"
import { RESPONSES_COMPACT } from "./responses-compact.ts"
import { RESPONSES } from "./responses.ts"
import { speech } from "./speech.ts"
import { transcriptions, translations } from "./transcriptions.ts"

const CHAT_ENDPOINTS = [CHAT_COMPLETIONS, MESSAGES, RESPONSES, RESPONSES_COMPACT]

/** What performs requests. */
export interface Performers {
  readonly relay: ChatRelay
  readonly operations: Operations
  readonly embeddings: Embeddings
  readonly reranking: Reranking
  readonly images: Images
  readonly speaking: Speech
  readonly transcribing: Transcriptions
  readonly inspector: MediaInspector
}

/** What the endpoints are made of. */
export interface RouteParts
  extends Performers, ResponseKeepers, Omit<CallServices, "bodyLimit" | "checks"> {
  readonly settings: () => Settings
  readonly catalog: () => Catalog
  readonly isDraining: () => boolean
  /** Where the gateway listens. */
  readonly ownUrl: () => string
  readonly store: Store
  readonly ledger: Ledger
  readonly imageStore: ImageStore
  readonly limiter: Rates
  readonly idempotency: Idempotency
  /** All metrics, as text; undefined where nothing is counted. */
  readonly metricsText: (() => Promise<string>) | undefined
}

/** Every endpoint that callers use, with what it needs. */
export function callerRoutes(parts: RouteParts): Route[] {
  const { settings, store, ledger, relay, events } = parts
  const bodyLimit = (): number => settings().limits.bodyBytes
  const checks = new EarlyChecks(parts)
  const calls = callsOf({ ...parts, bodyLimit, checks })
  const editRules = (): EditRules => editRulesOf(settings())
  const publicUrl = (): string | undefined => settings().publicUrl
  const again = { ...parts, bodyLimit, checks }
  const once = (route: Route): Route => repeatable(route, again)
  return [
    ...CHAT_ENDPOINTS.map((endpoint) => chatEndpoint(endpoint, calls, relay)).map(once),
    ...operationRoutes(calls, { ...parts, editRules, publicUrl }).map(once),
    estimate(calls, {
      ...parts,
      chats: [...CHAT_ENDPOINTS, GENERATE_CONTENT, STREAM_GENERATE_CONTENT],
      editRules,
    }),
    tokenCounter(MESSAGE_TOKENS, calls, relay),
    tokenCounter(RESPONSE_TOKENS, calls, relay),
    getImageFile(parts.imageStore, events),
    getKeptResponse(calls, parts),
    deleteKeptResponse(calls, parts),
    cancelKeptResponse(calls, parts),
    ...googleRoutes(calls, { ...parts, repeatable: once }),
    listSpeechModels(calls, parts.catalog),
    getCredits(calls, { store, ledger }),
    getReceipt(calls, store),
    healthz(events),
    metrics({ settings, metricsText: parts.metricsText, events }),
    readyz({ ledger, isDraining: parts.isDraining, events }),
  ]
}

interface OperationParts extends RouteParts {
  readonly publicUrl: () => string | undefined
  /** What of the specification image edits have to follow. */
  readonly editRules: () => EditRules
}

/** What is no chat. */
function operationRoutes(calls: Calls, parts: OperationParts): Route[] {
  return [
    embeddings(calls, parts.embeddings),
    rerank(RERANK_PATH, calls, parts.reranking),
    rerank(COHERE_RERANK_PATH, calls, parts.reranking),
    imageGenerations(calls, parts),
    imageEdits(calls, parts),
    imageVariations(calls, parts),
    speech(calls, parts.speaking),
    transcriptions(calls, parts),
    translations(calls, parts),
  ]
}
