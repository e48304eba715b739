import { GatewayError } from "../../canon/errors.ts"
import type { WorkerPool } from "../../workers/worker-pool.ts"
import type { DecodedTokens } from "./decode-tokens.ts"

/** Decodes tokens to text on the worker pool, because the vocabulary takes time to load and memory to keep. */
export class TokenDecoder {
  readonly #pool: WorkerPool

  constructor(pool: WorkerPool) {
    this.#pool = pool
  }

  /**
   * Returns a decoder for an account.
   * @param account the owner of the tokens.
   */
  of(account: string) {
    return {
      /**
       * Returns the texts of tokens in OpenAI's vocabulary `cl100k_base`; undefined if a token is unknown.
       * @throws GatewayError `overloaded` if the tokens could not be decoded in time.
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
