import type { UpstreamRequest } from "./endpoint.ts"

/** A body that comes slower than this is better waited for: a vendor would not wait. Milliseconds. */
const PATIENCE = 30_000

/** Sends a request upstream. */
export function post(request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
  return fetch(request.url, {
    method: "POST",
    headers: request.headers,
    body: request.body,
    redirect: "manual",
    signal,
  })
}

/**
 * A request that was sent while its body still came from the caller. Whatever becomes of it before the
 * body is whole is nobody's failure: it is given up, and the request is made anew.
 */
export class SentRequest {
  readonly url: string
  readonly controller = new AbortController()
  readonly response: Promise<Response>
  readonly #timer: ReturnType<typeof setTimeout>
  #isLost = false

  /** @param isWhole whether the body has come to its end. */
  constructor(request: UpstreamRequest, isWhole: () => boolean) {
    this.url = request.url
    this.response = post(request, this.controller.signal)
    this.#timer = setTimeout(() => this.giveUp(), PATIENCE)
    this.response.then(
      () => {
        if (!isWhole()) this.giveUp()
      },
      () => this.giveUp(),
    )
  }

  /** Whether its answer can still be the one. From now on it is the taker's. */
  take(): boolean {
    clearTimeout(this.#timer)
    return !this.#isLost
  }

  giveUp(): void {
    clearTimeout(this.#timer)
    this.#isLost = true
    this.controller.abort()
  }
}
