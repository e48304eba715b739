import type { DialectId } from "../../canon/extra.ts"
import { GatewayError } from "../../canon/errors.ts"
import type { Reservation } from "../../limits/memory-budget.ts"
import type { Conversations } from "../state/conversations.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import type { StateName, VendorState } from "../state/vendor-state.ts"
import { fetchInSteps } from "../../wire/http/fetched.ts"

const DIALECT: DialectId = "openai-responses"
const TIMEOUT_MS = 30_000

/** The stores that may contain a response. */
export interface ResponseStores {
  readonly conversations: Conversations
  readonly vendorState: Pick<VendorState, "storingProviders" | "removeOwner">
  readonly clients: () => ReadonlyMap<string, ProviderClient>
}

/** A response of an account. */
export interface OwnResponse {
  readonly account: string
  readonly id: string
  readonly memory: Reservation
}

/**
 * Deletes a response with its items: first at a vendor that also stores it, then in the gateway. A provider that is no
 * longer configured is skipped, because no request through this gateway can refer to its state.
 * @returns whether the response existed.
 * @throws GatewayError `upstream_error` if the vendor failed, in which case the gateway deletes nothing;
 * `ledger_unavailable`.
 */
export async function deleteResponse(
  { conversations, vendorState, clients }: ResponseStores,
  { account, id, memory }: OwnResponse,
): Promise<boolean> {
  const name: StateName = { kind: "response", id }
  const providers = await vendorState.storingProviders(account, name)
  for (const provider of providers) {
    const client = clients().get(provider)
    if (client) await deleteAt(client, id)
  }
  if (providers.length > 0) {
    const items = await conversations.itemsOf(account, id, memory)
    const names = items.map((item): StateName => ({ kind: "item", id: item }))
    await vendorState.removeOwner(account, [name, ...names])
  }
  return (await conversations.delete(account, id)) || providers.length > 0
}

/** Deletes a response at the vendor. State that the vendor no longer has counts as deleted. */
async function deleteAt(client: ProviderClient, id: string): Promise<void> {
  const binding = client.vendor.chat.find(({ dialect }) => dialect.id === DIALECT)
  if (!binding) return
  const { url, headers } = await client.objectAddress(binding, id)
  let status: number
  try {
    const response = await fetchInSteps(url, {
      method: "DELETE",
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    status = response.status
  } catch (cause) {
    throw notDeleted(client, "could not be reached", cause)
  }
  if (status >= 300 && status !== 404) throw notDeleted(client, `answered ${status}`)
}

function notDeleted({ provider }: ProviderClient, reason: string, cause?: unknown): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}', which keeps this response too, ${reason}. Nothing is deleted. Try again.`,
    { cause },
  )
}
