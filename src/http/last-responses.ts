/**
 * The responses of a gateway that is shutting down. Each one closes its connection, so that the caller's next request
 * connects to a remaining gateway.
 */
export class LastResponses {
  #isOn = false

  /** Whether the gateway is shutting down. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** Makes all subsequent responses close their connections. */
  begin(): void {
    this.#isOn = true
  }

  /** Adds the header that closes the connection to the response to a request that arrived during shutdown. */
  async close(answering: Response | Promise<Response>): Promise<Response> {
    const response = await answering
    response.headers.set("connection", "close")
    return response
  }
}
