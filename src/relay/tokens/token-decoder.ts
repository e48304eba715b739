import { GatewayError } from "../../canon/errors.ts"
import type { WorkerPool } from "../../workers/worker-pool.ts"
import type { DecodedTokens } from "./decode-tokens.ts"

/** Turns tokens into text on the worker pool: the vocabulary takes time to load and memory to keep. */
export class TokenDecoder {
  readonly #pool: WorkerPool

  constructor(pool: WorkerPool) {
    this.#pool = pool
  }

  /** @param account the owner of the tokens. */
  of(account: string) {
    return {
      /**
       * The texts of tokens in OpenAI's vocabulary `cl100k_base`; undefined if one of them is unknown.
       * @throws GatewayError `overloaded`: they could not be decoded in time.
       */
      decode: async (
        inputs: readonly (readonly number[])[],
      ): Promise<readonly string[] | undefined> => {
        const job = { name: "decode-tokens", input: inputs, owner: account }
        const decoded = (await this.#pool.run(job)) as DecodedTokens | undefined
        if (decoded !== undefined) return decoded.texts
        throw new GatewayError(
          "overloaded",
          "The tokens in 'input' could not be decoded in time. Retry, or send strings.",
          { parameter: "input" },
        )
      },
    }
  }
}
