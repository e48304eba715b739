import { objectOf, stringOf, type JsonObject } from "../json.ts"

const MAX_RESPONSES = 1000
const MAX_ITEMS = 10_000

/** What the vendor keeps of its answers, so that later requests can go on from them. */
export class StoredResponses {
  readonly #conversations = new Map<string, readonly JsonObject[]>()
  readonly #items = new Map<string, JsonObject>()
  readonly #reasoningOf = new Map<string, string>()
  readonly #named = new Map<string, readonly JsonObject[]>()
  readonly #containers = new Set<string>()

  /** Keeps a conversation, its answer's items included, under the answer's id. */
  keep(id: string, conversation: readonly JsonObject[], output: readonly JsonObject[]): void {
    forgetOldest(this.#conversations, MAX_RESPONSES)
    this.#conversations.set(id, [...conversation, ...output])
    for (const item of output) {
      forgetOldest(this.#items, MAX_ITEMS)
      this.#items.set(stringOf(item.id), item)
    }
  }

  /** @returns whether there was one. */
  forget(id: string): boolean {
    return this.#conversations.delete(id)
  }

  /** Begins a conversation that is named by itself. */
  begin(id: string, items: readonly JsonObject[]): void {
    forgetOldest(this.#named, MAX_RESPONSES)
    this.#named.set(id, items)
  }

  /** Adds to it what was said and answered. */
  continue(id: string, items: readonly JsonObject[]): void {
    if (this.#named.has(id)) this.#named.set(id, items)
  }

  /** The items of a conversation that is named by itself. */
  named(id: string): readonly JsonObject[] | undefined {
    return this.#named.get(id)
  }

  /** Whether a container is one that an answer has made. */
  hasContainer(id: string): boolean {
    return this.#containers.has(id)
  }

  keepContainer(id: string): void {
    this.#containers.add(id)
    const [oldest] = this.#containers
    if (this.#containers.size > MAX_RESPONSES && oldest) this.#containers.delete(oldest)
  }

  /** Notes which reasoning each item of an answer came from; this is known of unkept ones too. */
  noteReasoning(output: readonly JsonObject[]): void {
    const reasoning = output.find((item) => item.type === "reasoning")
    if (reasoning === undefined) return
    for (const item of output.filter((item) => item !== reasoning)) {
      forgetOldest(this.#reasoningOf, MAX_ITEMS)
      this.#reasoningOf.set(stringOf(item.id), stringOf(reasoning.id))
    }
  }

  /** The kept conversation that ends with this answer. */
  conversation(id: string): readonly JsonObject[] | undefined {
    return this.#conversations.get(id)
  }

  /** The kept item of this id. */
  item(id: string): JsonObject | undefined {
    return this.#items.get(id)
  }

  /** The id of the reasoning that an item of an answer came from. */
  reasoningOf(item: JsonObject): string | undefined {
    return this.#reasoningOf.get(stringOf(objectOf(item).id))
  }
}

function forgetOldest(entries: Map<string, unknown>, max: number): void {
  if (entries.size < max) return
  const oldest = entries.keys().next().value
  if (oldest !== undefined) entries.delete(oldest)
}
