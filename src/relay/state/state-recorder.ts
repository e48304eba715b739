import type { JsonObject } from "../../canon/json.ts"
import { totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import { findState, type StateReference, type StateShape } from "../../canon/vendor-state.ts"
import type { VendorStateRecord } from "../../store/vendor-state.ts"
import { factsOf } from "./state-kinds.ts"
import type { VendorState } from "./vendor-state.ts"

interface RecorderFacts {
  readonly account: string
  readonly request: string
  readonly provider: string
  /** Hashes of named content with an unknown owner. The account does not become the owner by naming the content. */
  readonly unowned: ReadonlySet<string>
}

/** Records the vendor state to which a response refers. */
export class StateRecorder {
  readonly #states: VendorState
  readonly #shape: StateShape
  readonly #facts: RecorderFacts
  readonly #found = new Map<string, StateReference>()

  constructor(states: VendorState, shape: StateShape, facts: RecorderFacts) {
    this.#states = states
    this.#shape = shape
    this.#facts = facts
  }

  /**
   * Records the state that a response names.
   * @param body a whole response, or a frame of a streamed response.
   */
  record(body: JsonObject): void {
    for (const reference of findState(this.#shape, body)) {
      this.#found.set(`${reference.state.kind}\0${reference.id}`, reference)
    }
  }

  /**
   * Returns the records of the state.
   * @param usage the usage as counted by the vendor; undefined if it did not count.
   */
  records(usage: Usage | undefined): VendorStateRecord[] {
    const { account, request, provider, unowned } = this.#facts
    const createdAt = Date.now()
    const records: VendorStateRecord[] = []
    for (const { id, state } of this.#found.values()) {
      const { kind } = state
      const idHash = this.#states.hash(kind, id)
      if (unowned.has(idHash)) continue
      const { lifetime, isCounted } = factsOf(kind)
      records.push({
        idHash,
        provider,
        kind,
        account,
        request,
        tokens: isCounted && usage ? tokensOf(kind, usage) : null,
        createdAt,
        expiresAt: createdAt + lifetime,
      })
    }
    return records
  }
}

/** Returns the tokens of stored content. An item is a part of the output. The other kinds include the whole input. */
function tokensOf(kind: string, usage: Usage): number {
  const output = totalOutput(usage)
  return kind === "item" ? output : totalInput(usage) + output
}
