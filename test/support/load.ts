import type { LoadOrder } from "./load-process.ts"

/** A process that acts as the provider and sends large bodies. */
export class Load implements AsyncDisposable {
  readonly #process: Bun.Subprocess
  #message = Promise.withResolvers<unknown>()
  #port = 0

  private constructor() {
    this.#process = Bun.spawn([process.execPath, `${import.meta.dir}/load-process.ts`], {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: (message) => this.#message.resolve(message),
    })
  }

  static async start(): Promise<Load> {
    const load = new Load()
    load.#port = Number(await load.#next())
    return load
  }

  get providerUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Creates the bodies that `send` sends. */
  async prepare(order: LoadOrder): Promise<void> {
    this.#process.send(order)
    await this.#next()
  }

  /**
   * Sends the bodies.
   * @returns the status and the beginning of each response.
   */
  async send(): Promise<readonly string[]> {
    this.#process.send("send")
    return (await this.#next()) as readonly string[]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill()
    await this.#process.exited
  }

  async #next(): Promise<unknown> {
    const message = await this.#message.promise
    this.#message = Promise.withResolvers<unknown>()
    return message
  }
}
