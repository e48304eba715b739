/**
 * Something that is made when it is first needed: what only the console uses costs a gateway that
 * no one manages neither memory nor time to start.
 */
export class Lazy<Value extends AsyncDisposable> implements AsyncDisposable {
  readonly #make: () => Promise<Value>
  #made: Promise<Value> | undefined
  #isOver = false

  constructor(make: () => Promise<Value>) {
    this.#make = make
  }

  /** What failed to be made is tried again the next time. @throws what making it throws. */
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
