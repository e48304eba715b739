import { isAscii } from "node:buffer"
import { conversationKey, type ConversationName } from "../../canon/conversation.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { isLargeJson, jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import { findState, type StateReference } from "../../canon/vendor-state.ts"
import type { Model } from "../../catalog/model.ts"
import type { ChatCall } from "../request/call.ts"
import { expectedTokens } from "../pipeline/rate-usage.ts"
import type { ChatInput } from "./chat-context.ts"
import type { Conversations } from "../state/conversations.ts"
import { notFound } from "../state/state-kinds.ts"
import {
  MAX_REFERENCES,
  type ResolvedState,
  type StateQuery,
  tooMany,
  understands,
  type VendorState,
} from "../state/vendor-state.ts"

/** The stores of state to which a request may refer. */
export interface StateStores {
  readonly vendorState: VendorState
  readonly conversations: Conversations
}

/** A request whose references have all been resolved. */
export interface Resolved {
  /** The input to continue with, in which items that only the gateway stores have replaced their references. */
  readonly input: ChatInput
  readonly state: ResolvedState | undefined
}

/**
 * Resolves the references of a request. References to state of the model's vendor are sent to the vendor. Items that
 * the gateway stores for the account replace their references, so that the complete request is held, counted and sent.
 * @throws GatewayError `not_found` for an unknown reference, and the errors of `VendorState.resolve`.
 */
export async function resolveState(
  stores: StateStores,
  input: ChatInput,
  model: Model,
  references: readonly StateReference[],
): Promise<Resolved> {
  const { vendorState, conversations } = stores
  const { call, dialect, config } = input
  const { clients, passesUnknownState: passesUnknown } = config
  const { account } = call.key
  const order = { account, references, model, dialect: dialect.id, clients, passesUnknown }
  const form = dialect.conversation
  if (form === undefined || !conversations.isOn || form.names(call.body).length === 0) {
    return { input, state: await vendorState.resolve(order) }
  }
  const [first] = references
  if (first && references.length > MAX_REFERENCES) throw tooMany(first)
  try {
    return { input, state: await vendorState.resolve({ ...order, passesUnknown: false }) }
  } catch (error) {
    if (!isMissing(error)) throw error
    const written = await conversations.writtenOut({ call, form, body: call.body }, call.memory)
    if (written.body !== undefined) return goOn(vendorState, input, order, written.body)
    const { lost, found } = sorted(references, written.missing)
    if (lost?.state.isEssential && !understands(order)) throw notFound(lost)
    // The gateway stores the object that the error names, so the error is about the reference that is missing here.
    if (!passesUnknown) throw lost && found.has(error.details.parameter) ? notFound(lost) : error
    return { input, state: await vendorState.resolve(order) }
  }
}

/** Returns the same request, with the stored items in place of their references. */
async function goOn(
  vendorState: VendorState,
  input: ChatInput,
  order: StateQuery,
  body: JsonObject,
): Promise<Resolved> {
  const { call, dialect, rate } = input
  const written = isLargeJson(body)
    ? await jsonBytesInSlices(body)
    : Buffer.from(JSON.stringify(body))
  const bodyBytes = written.byteLength
  const previous = input.request.previousResponse
  const request = {
    ...dialect.decodeRequest(body),
    ...(previous === undefined ? {} : { continued: previous }),
  }
  const references = dialect.requestState ? findState(dialect.requestState, body) : []
  const state = await vendorState.resolve({ ...order, references })
  const whole: ChatCall = { ...call, body, bodyBytes, isAscii: isAscii(written) }
  rate.estimate(expectedTokens(whole, request, order.model))
  return { input: { ...input, call: whole, request }, state }
}

/**
 * Returns the first reference of a request that the gateway does not store, and the paths of the references that it
 * stores.
 */
function sorted(
  references: readonly StateReference[],
  missing: readonly ConversationName[],
): { readonly lost: StateReference | undefined; readonly found: ReadonlySet<unknown> } {
  const keys = new Set(missing.map(conversationKey))
  const named = references.flatMap((reference) => {
    const { id, state } = reference
    const { kind } = state
    if (kind !== "response" && kind !== "item") return []
    return [{ reference, isLost: keys.has(conversationKey({ kind, id })) }]
  })
  const lost = named.find(({ isLost }) => isLost)?.reference
  const found = named.filter(({ isLost }) => !isLost).map(({ reference }) => reference.path)
  return { lost, found: new Set(found) }
}

function isMissing(error: unknown): error is GatewayError {
  return (
    error instanceof GatewayError && (error.kind === "not_found" || error.kind === "invalid_value")
  )
}
