import type { ReceiptRecord } from "../../store/settlements.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Catalog } from "../../catalog/catalog.ts"
import type { Key } from "../../keys/key.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { MemoryBudget } from "../../limits/memory-budget.ts"
import type { Rates } from "../../limits/rates.ts"
import type { IdempotencyRecord } from "../../store/idempotency.ts"
import { LedgerError } from "../../store/ledger-error.ts"
import type { Store } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import { failure } from "../endpoint.ts"
import type { Pace } from "../incoming-body.ts"
import type { EarlyChecks } from "../../relay/pipeline/early-checks.ts"
import { rejectHindered } from "../../relay/pipeline/reject-hindered.ts"
import { IDEMPOTENCY_KEY, isForm, type ReadBody } from "../idempotency/fingerprint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"
import { newRequestId } from "../request-id.ts"
import type { Connection, Handler, Route } from "../server.ts"
import { droppingRest } from "../unread-body.ts"
import { callerKey } from "./caller-key.ts"

export interface RepeatableServices {
  readonly idempotency: Idempotency
  readonly keyring: Keyring
  readonly limiter: Rates
  readonly checks: EarlyChecks
  readonly catalog: () => Catalog
  readonly store: Store
  readonly ledger: Pick<Ledger, "isPosting">
  readonly events: Events
  /** Returns the maximum bytes of a JSON body. */
  readonly bodyLimit: () => number
  readonly memory: MemoryBudget
  readonly pace?: Pace
}

/** Maximum bytes of a form at any endpoint. Each endpoint has its own lower limit. */
const MAX_FORM_BYTES = 64 * 1024 * 1024

/**
 * Wraps an endpoint that costs money. Requests with the same `idempotency-key` are performed and charged once
 * (docs/contribute/decisions, 25). Requests without this header are not affected.
 */
export function repeatable(route: Route, services: RepeatableServices): Route {
  const { handler } = route
  const once = droppingRest(answerOnce(route, services))
  return {
    ...route,
    handler: (request, connection) =>
      request.headers.get(IDEMPOTENCY_KEY) === null
        ? handler(request, connection)
        : once(request, connection),
  }
}

function answerOnce(
  { path, handler, errors, encodeBreak }: Route,
  services: RepeatableServices,
): Handler {
  const { idempotency, keyring, events, memory, pace } = services
  return async (request, connection) => {
    const bodyLimit = isForm(request.headers) ? MAX_FORM_BYTES : services.bodyLimit()
    try {
      const key = await callerKey(keyring, request, connection, Date.now())
      rejectHindered(key)
      services.checks.rejectFrequent(key)
      // The handler does not use the caller's connection, because the body has been read and waiting callers have their
      // own connections.
      const address = key.addresses === undefined ? null : connection.address
      const spooled: Connection = {
        address,
        origin: connection.origin,
        waitLong() {},
        waitShort() {},
      }
      using held = memory.open(key)
      const order = {
        request,
        scope: `account ${key.account}`,
        // The key with which the request was sent.
        rights: key.id,
        bodyLimit,
        memory: held,
        pace,
        perform: async (own: Request, id: string) => handler(own, spooled, id),
        admit: (claim: IdempotencyRecord, body: ReadBody) => admit(services, key, claim, body),
        isSettled: (id: string) => isSettled(services, id),
        responseGone,
        encodeBreak,
        onAnswered: (isLarge: boolean) => connection.waitShort(isLarge),
      }
      return await idempotency.respond(order, () => connection.waitLong())
    } catch (thrown) {
      connection.waitShort()
      return failure(thrown, { request, id: newRequestId(), path, errors, events })
    }
  }
}

/**
 * Checks a retry. It counts towards the key's request limit but not towards its token limit, and the key must be
 * allowed to call the model.
 */
async function admit(
  services: RepeatableServices,
  key: Key,
  claim: IdempotencyRecord,
  body: ReadBody,
): Promise<Readonly<Record<string, string>>> {
  if (key.allows) await admitModel(services, key, claim, body)
  const { id, requestsPerMinute } = key
  return services.limiter.check(id, { requestsPerMinute, tokens: 0 })
}

/**
 * Checks the model of a retry. For another key, the same name may mean a different model. In this case, the receipt
 * determines the model.
 */
async function admitModel(
  { catalog, store }: RepeatableServices,
  key: Key,
  { request, rights }: IdempotencyRecord,
  body: ReadBody,
): Promise<void> {
  const name = await body.model()
  const isSame = rights === key.id || (name !== undefined && catalog().find(name) !== undefined)
  const model =
    name !== undefined && isSame ? name : modelOf(await store.settlements.findReceipt(request))
  if (model !== undefined) catalog().visible(model, key)
  // If the body names no model, the default model may differ between keys.
  else if (rights !== key.id) throw unclearModel()
}

/**
 * Whether a request was charged.
 * @throws LedgerError if this is not known yet.
 */
async function isSettled({ ledger, store }: RepeatableServices, request: string): Promise<boolean> {
  if (ledger.isPosting(request)) throw new LedgerError("unavailable", "the charge is not known yet")
  const receipt = await store.settlements.findReceipt(request)
  if (receipt === null) return false
  return receipt.entry !== null || bodyOf(receipt).status === "settled"
}

function modelOf(receipt: ReceiptRecord | null): string | undefined {
  return receipt === null ? undefined : bodyOf(receipt).model
}

function bodyOf({ body }: ReceiptRecord): { readonly status?: string; readonly model?: string } {
  return JSON.parse(body) as { readonly status?: string; readonly model?: string }
}

function unclearModel(): GatewayError {
  return new GatewayError(
    "conflict",
    "Another key of the account has sent this request, and its model is not determined yet. Send it again when the first one has ended, or use the model's id.",
    { parameter: IDEMPOTENCY_KEY },
  )
}

function responseGone(request: string): GatewayError {
  return new GatewayError(
    "conflict",
    `The first request with this idempotency key, ${request}, was charged, but its response is not stored: it was too large, was evicted for newer ones, or the gateway crashed before it was complete. Its receipt is at /v1/receipts/${request}. It is not charged again. To run and pay for the request again, send a new key.`,
    {
      parameter: IDEMPOTENCY_KEY,
      fields: { original_request_id: request, receipt: `/v1/receipts/${request}` },
    },
  )
}
