/**
 * A value that is created on first use. The parts for the console cost neither memory nor startup time unless they are
 * used.
 */
export class Lazy<Value extends AsyncDisposable> implements AsyncDisposable {
  readonly #make: () => Promise<Value>
  #made: Promise<Value> | undefined
  #isOver = false

  constructor(make: () => Promise<Value>) {
    this.#make = make
  }

  /** Returns the value. Failed creation is repeated with the next call. @throws the errors of creation. */
  async get(): Promise<Value> {
    if (this.#isOver) throw new Error("the gateway is ending")
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
