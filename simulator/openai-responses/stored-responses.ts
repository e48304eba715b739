import { objectOf, stringOf, type JsonObject } from "../json.ts"

const MAX_RESPONSES = 1000
const MAX_ITEMS = 10_000

/** The responses that the vendor stores, so that later requests can continue from them. */
export class StoredResponses {
  readonly #conversations = new Map<string, readonly JsonObject[]>()
  readonly #items = new Map<string, JsonObject>()
  readonly #reasoningOf = new Map<string, string>()
  readonly #named = new Map<string, readonly JsonObject[]>()
  readonly #containers = new Set<string>()

  /** Stores a conversation and the output items of its response, under the response's id. */
  keep(id: string, conversation: readonly JsonObject[], output: readonly JsonObject[]): void {
    forgetOldest(this.#conversations, MAX_RESPONSES)
    this.#conversations.set(id, [...conversation, ...output])
    for (const item of output) {
      forgetOldest(this.#items, MAX_ITEMS)
      this.#items.set(stringOf(item.id), item)
    }
  }

  /**
   * Deletes a stored response.
   * @returns whether the response existed.
   */
  forget(id: string): boolean {
    return this.#conversations.delete(id)
  }

  /** Stores a new conversation that has an id of its own. */
  begin(id: string, items: readonly JsonObject[]): void {
    forgetOldest(this.#named, MAX_RESPONSES)
    this.#named.set(id, items)
  }

  /** Adds the items of a request and its response to a conversation. */
  continue(id: string, items: readonly JsonObject[]): void {
    if (this.#named.has(id)) this.#named.set(id, items)
  }

  /** Returns the items of a conversation with an id of its own. */
  named(id: string): readonly JsonObject[] | undefined {
    return this.#named.get(id)
  }

  /** Whether a response created a container. */
  hasContainer(id: string): boolean {
    return this.#containers.has(id)
  }

  keepContainer(id: string): void {
    this.#containers.add(id)
    const [oldest] = this.#containers
    if (this.#containers.size > MAX_RESPONSES && oldest) this.#containers.delete(oldest)
  }

  /** Records which reasoning item belongs to each item of a response, even if the response is not stored. */
  noteReasoning(output: readonly JsonObject[]): void {
    const reasoning = output.find((item) => item.type === "reasoning")
    if (reasoning === undefined) return
    for (const item of output.filter((item) => item !== reasoning)) {
      forgetOldest(this.#reasoningOf, MAX_ITEMS)
      this.#reasoningOf.set(stringOf(item.id), stringOf(reasoning.id))
    }
  }

  /** Returns the stored conversation that ends with this response. */
  conversation(id: string): readonly JsonObject[] | undefined {
    return this.#conversations.get(id)
  }

  /** Returns the stored item with this id. */
  item(id: string): JsonObject | undefined {
    return this.#items.get(id)
  }

  /** Returns the id of the reasoning item that belongs to an item of a response. */
  reasoningOf(item: JsonObject): string | undefined {
    return this.#reasoningOf.get(stringOf(objectOf(item).id))
  }
}

function forgetOldest(entries: Map<string, unknown>, max: number): void {
  if (entries.size < max) return
  const oldest = entries.keys().next().value
  if (oldest !== undefined) entries.delete(oldest)
}
