import type { Catalog } from "../../catalog/catalog.ts"
import type { Settings } from "../../config/settings.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { RateLimiter } from "../../limits/rate-limiter.ts"
import { PICTURE_PATH, type PictureStore } from "../../media/picture-store.ts"
import type { Contents } from "../../relay/pipeline/contents.ts"
import type { Conversations } from "../../relay/chat/conversations.ts"
import type { Endpoint } from "../../relay/upstream/provider-client.ts"
import { Embeddings, type EmbeddingServices } from "../../relay/operations/embedding/embeddings.ts"
import type { Images } from "../../relay/operations/image/images.ts"
import type { Relay } from "../../relay/chat/relay.ts"
import { Reranking } from "../../relay/operations/rerank/rerank.ts"
import { Speaking } from "../../relay/operations/speech/speech.ts"
import { Transcribing } from "../../relay/operations/transcription/transcriptions.ts"
import type { VendorState } from "../../relay/state/vendor-state.ts"
import type { Store } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import type { MemoryBudget } from "../../limits/memory-budget.ts"
import type { Pace } from "../incoming-body.ts"
import { type ErrorAnswer, errorAnswer } from "../answers.ts"
import { healthz, readyz } from "../health.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import type { Route } from "../server.ts"
import type { Spool } from "../spool.ts"
import { CHAT_COMPLETIONS } from "./chat-completions.ts"
import { chatEndpoint, errorIn } from "./chat-endpoint.ts"
import { MESSAGE_TOKENS, tokenCounter } from "./count-tokens.ts"
import { getCredits } from "./credits.ts"
import { embeddings, EMBEDDINGS_PATH } from "./embeddings.ts"
import { estimate, ESTIMATE_PATH } from "./estimate.ts"
import { googleRoutes } from "./google-routes.ts"
import { GENERATE_CONTENT, STREAM_GENERATE_CONTENT } from "./generate-content.ts"
import { getImageFile } from "./image-files.ts"
import {
  EDITS_PATH,
  GENERATIONS_PATH,
  imageEdits,
  imageGenerations,
  imageVariations,
  VARIATIONS_PATH,
} from "./images.ts"
import { deleteKeptResponse, getKeptResponse, KEPT_RESPONSES_PATH } from "./kept-responses.ts"
import { MESSAGES } from "./messages.ts"
import { getReceipt } from "./receipts.ts"
import { COHERE_RERANK_PATH, rerank, RERANK_PATH } from "./rerank.ts"
import { repeatable } from "./repeatable.ts"
import { RESPONSES_COMPACT } from "./responses-compact.ts"
import { RESPONSES } from "./responses.ts"
import { speech, SPEECH_PATH } from "./speech.ts"
import {
  transcriptions,
  TRANSCRIPTIONS_PATH,
  translations,
  TRANSLATIONS_PATH,
} from "./transcriptions.ts"

const CHAT_ENDPOINTS = [CHAT_COMPLETIONS, MESSAGES, RESPONSES, RESPONSES_COMPACT]

/** What the endpoints are made of. */
export interface RouteParts {
  readonly settings: () => Settings
  readonly catalog: () => Catalog
  readonly isDraining: () => boolean
  /** Where the gateway listens. */
  readonly ownUrl: () => string
  readonly store: Store
  readonly keyring: Keyring
  readonly ledger: Ledger
  readonly relay: Relay
  readonly embedding: EmbeddingServices
  readonly events: Events
  /** Where uploads are kept while their requests run. */
  readonly spool: Spool
  readonly images: Images
  readonly pictures: PictureStore
  readonly contents: Contents
  readonly conversations: Conversations
  readonly vendorState: VendorState
  readonly endpoints: () => ReadonlyMap<string, Endpoint>
  readonly memory: MemoryBudget
  readonly pace?: Pace
  readonly limiter: RateLimiter
  readonly idempotency: Idempotency
}

/** Every endpoint that callers use, with what it needs. */
export function callerRoutes(parts: RouteParts): Route[] {
  const { catalog, store, keyring, ledger, relay, embedding, events, contents } = parts
  const chat = { keyring, events, relay, contents, ...intakeOf(parts) }
  const models = { keyring, events, catalog }
  const operations = {
    embeddings: new Embeddings(embedding),
    reranking: new Reranking(embedding),
    speaking: new Speaking(embedding.operations),
    transcribing: new Transcribing(embedding),
  }
  const paid: Route[] = [
    ...CHAT_ENDPOINTS.map((endpoint) => ({
      path: endpoint.path,
      method: "POST" as const,
      handler: chatEndpoint(endpoint, chat),
    })),
    {
      path: EMBEDDINGS_PATH,
      method: "POST",
      handler: embeddings(chat, operations.embeddings),
    },
    ...[RERANK_PATH, COHERE_RERANK_PATH].map((path) => ({
      path,
      method: "POST" as const,
      handler: rerank(path, chat, operations.reranking),
    })),
    ...imageRoutes(parts),
    ...soundRoutes(parts, operations),
  ]
  const again = { ...parts, bodyLimit: chat.bodyLimit }
  return [
    ...paid.map((route) => {
      const errors = errorsOf(route.path)
      return { ...route, handler: repeatable(route.handler, again, errors), errors }
    }),
    { path: `${PICTURE_PATH}*`, method: "GET", handler: getImageFile(parts.pictures) },
    {
      path: ESTIMATE_PATH,
      method: "POST",
      handler: estimate({
        ...chat,
        ...operations,
        chats: [...CHAT_ENDPOINTS, GENERATE_CONTENT, STREAM_GENERATE_CONTENT],
        operations: embedding.operations,
        images: parts.images,
        masksOptional: () => areMasksOptional(parts),
      }),
    },
    {
      path: "/v1/messages/count_tokens",
      method: "POST",
      handler: tokenCounter(MESSAGE_TOKENS, chat),
    },
    { path: `${KEPT_RESPONSES_PATH}*`, method: "GET", handler: getKeptResponse(parts) },
    { path: `${KEPT_RESPONSES_PATH}*`, method: "DELETE", handler: deleteKeptResponse(parts) },
    ...googleRoutes({ chat, models, embeddings: operations.embeddings, again }),
    { path: "/v1/credits", method: "GET", handler: getCredits({ keyring, events, store, ledger }) },
    { path: "/v1/receipts/*", method: "GET", handler: getReceipt({ keyring, events, store }) },
    { path: "/healthz", method: "GET", handler: healthz },
    {
      path: "/readyz",
      method: "GET",
      handler: readyz({ ledger, draining: parts.isDraining }),
    },
  ]
}

/** How bodies are taken in. */
function intakeOf({ settings, memory, pace }: RouteParts) {
  return { memory, bodyLimit: () => settings().limits.bodyBytes, ...(pace && { pace }) }
}

/** How an endpoint tells errors: those of dialects with an envelope of their own do so in it. */
function errorsOf(path: string): ErrorAnswer {
  const dialect = CHAT_ENDPOINTS.find((endpoint) => endpoint.path === path)?.dialect
  if (!dialect) return errorAnswer
  return (error, id) => errorIn(dialect, error, id)
}

function imageRoutes(parts: RouteParts): Route[] {
  const { settings, keyring, events, spool, images, contents } = parts
  const services = {
    keyring,
    events,
    contents,
    spool,
    images,
    ...intakeOf(parts),
    publicUrl: () => settings().publicUrl,
    masksOptional: () => areMasksOptional(parts),
    ownUrl: parts.ownUrl,
  }
  return [
    { path: GENERATIONS_PATH, method: "POST", handler: imageGenerations(services) },
    { path: EDITS_PATH, method: "POST", handler: imageEdits(services) },
    { path: VARIATIONS_PATH, method: "POST", handler: imageVariations(services) },
  ]
}

function areMasksOptional({ settings }: RouteParts): boolean {
  return settings().images.mask === "optional"
}

interface SoundOperations {
  readonly speaking: Speaking
  readonly transcribing: Transcribing
}

function soundRoutes(parts: RouteParts, { speaking, transcribing }: SoundOperations): Route[] {
  const { keyring, events, spool, contents } = parts
  const intake = intakeOf(parts)
  const uploads = { keyring, events, spool, transcribing, ...intake }
  return [
    {
      path: SPEECH_PATH,
      method: "POST",
      handler: speech({ keyring, events, contents, speaking, ...intake }),
    },
    { path: TRANSCRIPTIONS_PATH, method: "POST", handler: transcriptions(uploads) },
    { path: TRANSLATIONS_PATH, method: "POST", handler: translations(uploads) },
  ]
}
