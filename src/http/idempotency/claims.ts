import type {
  ClaimInput,
  IdempotencyRecord,
  IdempotencyResult,
  IdempotencyStep,
  KeepResult,
  KeptResponse,
} from "../../store/idempotency.ts"
import type { Store } from "../../store/store.ts"

type StepOf<Kind> = Extract<IdempotencyStep, { readonly kind: Kind }>

interface Waiting {
  readonly step: IdempotencyStep
  resolve(result: IdempotencyResult | undefined): void
  reject(error: unknown): void
}

/**
 * The claims in the ledger. Steps that arrive during a write are written together, so that they wait for the disk only
 * once.
 */
export class Claims {
  readonly #store: Pick<Store, "idempotency">
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(store: Pick<Store, "idempotency">) {
    this.#store = store
  }

  /**
   * Claims a key.
   * @returns the claim that applies, or null if the scope has used too many keys.
   */
  claim(claim: ClaimInput): Promise<IdempotencyRecord | null> {
    return this.#perform({ kind: "claim", claim })
  }

  /** Records a response that is on disk. */
  keep(response: KeptResponse): Promise<KeepResult> {
    return this.#perform({ kind: "keep", response })
  }

  /** Records a completed request without a stored response. */
  async drop(request: string): Promise<void> {
    await this.#perform({ kind: "drop", request })
  }

  /**
   * Deletes the claim of a request that had no effect.
   * @returns false if the request had an effect.
   */
  release(request: string): Promise<boolean> {
    return this.#perform({ kind: "release", request })
  }

  /** The type of the result depends on the kind of step. */
  #perform(step: StepOf<"claim">): Promise<IdempotencyRecord | null>
  #perform(step: StepOf<"keep">): Promise<KeepResult>
  #perform(step: StepOf<"release">): Promise<boolean>
  #perform(step: StepOf<"drop">): Promise<unknown>
  #perform(step: IdempotencyStep): Promise<IdempotencyResult | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject })
      if (this.#isWriting) return
      this.#isWriting = true
      setImmediate(() => void this.#write())
    })
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        const results = await this.#store.idempotency.perform(batch.map(({ step }) => step))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isWriting = false
  }
}
