export type Json = Record<string, unknown>

export const CHAT = "/v1/chat/completions"
export const RESPONSES = "/v1/responses"
export const MESSAGES = "/v1/messages"

/** A billed feature: the request that uses it, the vendor's response, and the cost. */
export interface BillableCase {
  readonly name: string
  readonly vendor: string
  readonly path: string
  /** Fields in addition to the model and the messages. */
  readonly body: Json
  readonly response: Json
  /** The path in the error. */
  readonly place: string
  /** The price in the provider's settings. Without it, the request is rejected. Absent if there can be no price. */
  readonly prices?: Json
  /** The counts in the receipt in addition to the tokens. */
  readonly counted?: Json
  /**
   * The cost in nanocredits: 100 tokens at 1 credit per million, 10 tokens at 2 credits per million, and the billed
   * feature.
   */
  readonly cost: bigint
  /** Minimum increase of the hold in nanocredits, compared with the plain request; absent: 0. */
  readonly held?: bigint
}

export const TOKENS = 120_000n

/**
 * Returns the members of a case for calls of one class at a price per million: the number in the receipt, and the
 * number that a hold covers.
 */
export function calls(
  name: string,
  price: number,
  { counted, held }: { readonly counted: number; readonly held: number },
): Pick<BillableCase, "prices" | "counted" | "cost" | "held"> {
  const nanocreditsPerCall = BigInt(price) * 1_000n
  return {
    prices: { [name]: String(price) },
    counted: { [name]: counted },
    cost: TOKENS + BigInt(counted) * nanocreditsPerCall,
    held: BigInt(held) * nanocreditsPerCall,
  }
}

export function tool(type: string, more: Json = {}): Json {
  const own = { type: "function", name: "f", parameters: {}, function: { name: "f" } }
  return { tools: [own, { type, ...more }] }
}
