import type { Catalog } from "../../catalog/catalog.ts"
import { hidesCostsIn } from "../../config/sections/sign-in.ts"
import type { Settings } from "../../config/settings.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Rates } from "../../limits/rates.ts"
import type { ImageStore } from "../../media/image-store.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import type { Operations } from "../../relay/operations/operations.ts"
import type { ResponseStores } from "../../relay/chat/delete-response.ts"
import type { Store } from "../../store/store.ts"
import { EarlyChecks } from "../../relay/pipeline/early-checks.ts"
import { healthz, readyz } from "../health.ts"
import { metrics } from "../metrics.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import type { Route } from "../server.ts"
import { callsOf, type CallServices } from "./calls.ts"
import { chatEndpoint } from "./chat-endpoint.ts"
import { MESSAGE_TOKENS, RESPONSE_TOKENS, tokenCounter } from "./count-tokens.ts"
import { getCredits } from "./credits.ts"
import { estimate } from "./estimate.ts"
import { CHAT_ENDPOINTS, GENERATE_CONTENT, STREAM_GENERATE_CONTENT } from "./chat-endpoints.ts"
import { googleRoutes } from "./google-routes.ts"
import { getImageFile } from "./image-files.ts"
import { editRulesOf } from "./images.ts"
import { cancelKeptResponse, deleteKeptResponse, getKeptResponse } from "./kept-responses.ts"
import type { OperationParts } from "./operation-endpoint.ts"
import { OPERATION_ENDPOINTS } from "./operations.ts"
import { getReceipt } from "./receipts.ts"
import { repeatable } from "./repeatable.ts"
import { listSpeechModels } from "./models.ts"

/** Dependencies of the endpoints. */
export interface RouteParts
  extends
    Omit<OperationParts, "editRules" | "publicUrl">,
    ResponseStores,
    Omit<CallServices, "bodyLimit" | "checks" | "hidesCosts"> {
  readonly relay: ChatRelay
  readonly operations: Operations
  readonly settings: () => Settings
  readonly catalog: () => Catalog
  readonly isDraining: () => boolean
  readonly store: Store
  readonly ledger: Ledger
  readonly imageStore: ImageStore
  readonly limiter: Rates
  readonly idempotency: Idempotency
  /** Returns all metrics as text; undefined if metrics are disabled. */
  readonly metricsText: (() => Promise<string>) | undefined
}

/** Builds every endpoint for callers. */
export function callerRoutes(parts: RouteParts): Route[] {
  const { settings, store, ledger, relay, events } = parts
  const bodyLimit = (): number => settings().limits.bodyBytes
  const checks = new EarlyChecks(parts)
  const hidesCosts = (): boolean => hidesCostsIn(settings())
  const calls = callsOf({ ...parts, bodyLimit, checks, hidesCosts })
  const served = {
    ...parts,
    editRules: () => editRulesOf(settings()),
    publicUrl: () => settings().publicUrl,
  }
  const again = { ...parts, bodyLimit, checks }
  const once = (route: Route): Route => repeatable(route, again)
  return [
    ...CHAT_ENDPOINTS.map((endpoint) => chatEndpoint(endpoint, calls, relay)).map(once),
    ...OPERATION_ENDPOINTS.map((endpoint) => endpoint.serve(calls, served)).map(once),
    estimate(calls, {
      ...served,
      chats: [...CHAT_ENDPOINTS, GENERATE_CONTENT, STREAM_GENERATE_CONTENT],
    }),
    tokenCounter(MESSAGE_TOKENS, calls, relay),
    tokenCounter(RESPONSE_TOKENS, calls, relay),
    getImageFile(parts.imageStore, events),
    getKeptResponse(calls, parts),
    deleteKeptResponse(calls, parts),
    cancelKeptResponse(calls, parts),
    ...googleRoutes(calls, { ...served, repeatable: once }),
    listSpeechModels(calls, parts.catalog),
    getCredits(calls, { store, ledger }),
    getReceipt(calls, store),
    healthz(events),
    metrics({ settings, metricsText: parts.metricsText, events }),
    readyz({ ledger, isDraining: parts.isDraining, events }),
  ]
}
