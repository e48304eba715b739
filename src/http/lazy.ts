/**
 * A value that is created on first use. For example, the parts of the console require no memory or startup time until
 * they are used.
 */
export class Lazy<Value extends AsyncDisposable> implements AsyncDisposable {
  readonly #make: () => Promise<Value>
  #made: Promise<Value> | undefined
  #isOver = false

  constructor(make: () => Promise<Value>) {
    this.#make = make
  }

  /**
   * Returns the value. If its creation fails, the next call tries again.
   * @throws any error thrown by the creation.
   */
  async get(): Promise<Value> {
    if (this.#isOver) throw new Error("the gateway is shutting down")
    const made = (this.#made ??= this.#make())
    try {
      return await made
    } catch (error) {
      if (this.#made === made) this.#made = undefined
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    const made = await this.#made?.catch(() => undefined)
    await made?.[Symbol.asyncDispose]()
  }
}
