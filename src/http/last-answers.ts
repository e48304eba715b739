/**
 * The answers of a gateway that shuts down: each one closes its connection, so that the next request of its caller
 * goes over a new one, to a gateway that stays.
 */
export class LastAnswers {
  #isOn = false
  #count = 0

  /** Whether it shuts down. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** How many requests have come since it began to. */
  get count(): number {
    return this.#count
  }

  /** From now on answers close their connections. */
  begin(): void {
    this.#isOn = true
  }

  /** The answer to a request that came since. */
  async close(answering: Response | Promise<Response>): Promise<Response> {
    this.#count += 1
    const answer = await answering
    answer.headers.set("connection", "close")
    return answer
  }
}
