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
   * Returns the texts of tokens in OpenAI's vocabulary `cl100k_base`; undefined if a token is unknown.
   * @param owner the account that owns the tokens.
   * @throws GatewayError `overloaded` if the tokens could not be decoded in time.
   */
  async decode(
    owner: string,
    input: readonly (readonly number[])[],
  ): Promise<readonly string[] | undefined> {
    const job = { name: "decode-tokens", input, owner }
    const decoded = (await this.#pool.run(job)) as DecodedTokens | undefined
    if (decoded !== undefined) return decoded.texts
    throw new GatewayError(
      "overloaded",
      "The tokens in 'input' could not be decoded in time. Retry, or send strings.",
      { parameter: "input" },
    )
  }
}
